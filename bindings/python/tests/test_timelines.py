# SPDX-License-Identifier: Apache-2.0
"""gpustream.Timeline, gpustream.Token and gpustream.Queue."""
import copy
import gc
import os
import pickle
import re
import weakref

import gpustream
import pytest
from gpustream.errors import Status
from support.refusals import raises


def test_the_current_stream_is_the_default(gate):
    stream, held = gpustream.Stream(), gate()
    with gpustream.Timeline(5) as timeline, gpustream.stream(stream):
        held.hold(stream)
        timeline.signal(6)
        timeline.wait(6)
        assert timeline.value == 5 and not stream.query()
        held.open()
        stream.synchronize()
        assert timeline.value == 6


def test_what_is_no_semaphore():
    read, write = os.pipe()
    wrong = gpustream.NotSupportedError if gpustream.Device("cuda").type == "host" else gpustream.InvalidArgumentError
    for arguments, error in (((0, read), wrong), ((0, read, 0), gpustream.InvalidArgumentError), ((0, -1), gpustream.InvalidArgumentError),
                             ((99, read), gpustream.InvalidDeviceError), ((0, 2**31), OverflowError)):
        raises(error, gpustream.Timeline.from_fd, *arguments)
    for descriptor in (read, write):
        os.close(descriptor)  # still the caller's


def test_limits():
    with gpustream.Timeline() as timeline:
        for timeout in (0, 0.001):
            raises(gpustream.TimeLimitError, timeline.synchronize, 1, timeout)
        raises(gpustream.InvalidArgumentError, timeline.synchronize, 1, -1)
        timeline.set(1)
        timeline.synchronize(1, 0)


def test_abort():
    stream = gpustream.Stream()
    with gpustream.Timeline() as timeline:
        timeline.wait(9, stream)
        timeline.abort()
        stream.synchronize()
        timeline.abort(Status.CANCELLED)  # the first status stays
        for call in (lambda: timeline.value, lambda: timeline.set(10), lambda: timeline.synchronize(0),
                     lambda: timeline.signal(10, stream), lambda: timeline.wait(10, stream)):
            failed = raises(gpustream.AbortedError, call)
            assert failed.status == Status.ABORTED and re.fullmatch("timeline 0x[0-9a-f]+ was aborted", str(failed))
    with gpustream.Timeline() as timeline:
        raises(gpustream.InvalidArgumentError, timeline.abort, Status.OK)


def test_close_lets_streams_go_on():
    stream = gpustream.Stream()
    timeline = gpustream.Timeline()
    timeline.wait(1, stream)
    with pytest.warns(RuntimeWarning, match=r"destroyed at 0 while a stream waited for 1.*Timeline\.abort\(\)") as seen:
        timeline.close()
    assert seen[0].filename == __file__
    timeline.close()
    stream.synchronize()
    assert timeline.handle == 0 and repr(timeline) == "<gpustream.Timeline closed>"
    raises(gpustream.InvalidHandleError, timeline.set, 1)


def test_the_object():
    timeline = gpustream.Timeline(device=0)
    assert f"{timeline.handle:#x}" in repr(timeline)
    raises(TypeError, "cannot pickle", pickle.dumps, timeline)
    raises(gpustream.InvalidDeviceError, gpustream.Timeline, device=99)
    reference = weakref.ref(timeline)
    del timeline
    gc.collect()
    assert reference() is None


def test_signals_that_come_first():
    with gpustream.Timeline(signal_first=True) as timeline:
        raises(gpustream.InvalidArgumentError, "SIGNAL_FIRST", lambda: timeline.wait(1, gpustream.Stream()))


def test_a_token_is_of_the_current_stream(gate):
    held = gate(stream := gpustream.Stream())
    with gpustream.stream(stream):
        token = gpustream.Token()
    assert token.status is Status.NOT_READY
    other = gpustream.Stream()
    with gpustream.stream(other):
        token.wait()
    assert not other.query()
    held.open()
    other.synchronize()


def test_copies_are_equal_and_pickle():
    token = gpustream.Token()
    data = bytes(token)
    assert len(data) == 128
    for other in (pickle.loads(pickle.dumps(token)), copy.copy(token), copy.deepcopy(token), gpustream.Token.from_bytes(bytearray(data)),
                  gpustream.Token.from_bytes(memoryview(data))):
        assert other == token and hash(other) == hash(token) and other is not token and bytes(other) == data
    assert token != gpustream.Token() and token != data
    assert repr(token).startswith("<gpustream.Token ") and weakref.ref(token)() is token


@pytest.mark.parametrize("data, error", [(b"", ValueError), (bytes(127), ValueError), (bytes(129), ValueError), ("x" * 128, TypeError), (128, TypeError)])
def test_what_is_no_token(data, error):
    raises(error, gpustream.Token.from_bytes, data)


def test_wrong_bytes():
    data = bytearray(bytes(gpustream.Token()))
    data[70] ^= 1
    for wrong in (bytes(128), bytes(data)):
        token = gpustream.Token.from_bytes(wrong)
        raises(gpustream.InvalidArgumentError, "not a token", token.wait)
        with pytest.raises(gpustream.InvalidArgumentError, match="not a token"):
            _ = token.status
    for call in (lambda: gpustream._core.gs_token_wait(None, b"short"), lambda: gpustream._core.gs_token_status(b"short")):
        raises(ValueError, "must have 128 bytes, not 5", call)
    raises(TypeError, "must be bytes", gpustream._core.gs_token_status, None)


def test_entries_come_in_the_order_of_the_work(gate):
    first, second, held = gpustream.Stream(), gpustream.Stream(), gate()
    with gpustream.Queue() as queue:
        held.hold(first)
        queue.add(first, 1)
        second.wait_stream(first)
        event = second.record_event()
        queue.add(event, 2)
        event.close()
        assert queue.poll() == []
        held.open()
        entries = []
        while len(entries) < 2:
            entries += queue.wait()
    assert [(entry.token, entry.status, entry.native_code) for entry in entries] == [(1, Status.OK, 0), (2, Status.OK, 0)]
    assert entries[0].device == first.device and entries[0].error is None
    assert 0 < entries[0].time_ns <= entries[1].time_ns


def test_cancel(gate):
    stream, held = gpustream.Stream(), gate()
    with gpustream.Queue() as queue:
        held.hold(stream)
        queue.add(stream, 5)
        queue.add(stream, 5)
        queue.add(stream, 6)
        assert queue.cancel(5) == 2 and queue.cancel(5) == 0
        entries = queue.poll()
        assert [(entry.token, entry.status) for entry in entries] == [(5, Status.CANCELLED)] * 2
        assert isinstance(entries[0].error, gpustream.CancelledError) and entries[0].error.status is Status.CANCELLED
        held.open()
        assert [(entry.token, entry.status) for entry in queue.wait()] == [(6, Status.OK)]
        assert queue.cancel(6) == 0


def test_limits_of_time_and_room(gate):
    stream, held = gpustream.Stream(), gate()
    with gpustream.Queue(capacity=2) as queue:
        raises(gpustream.TimeLimitError, queue.wait, 0)
        raises(TimeoutError, queue.wait, timeout=0.05)
        held.hold(stream)
        queue.add(stream, 1)
        queue.add(stream, 2)
        raises(gpustream.FullError, queue.add, stream, 3)
        held.open()
        assert [entry.token for _ in range(2) for entry in queue.wait(60, max_entries=1)] == [1, 2]
        queue.add(stream, 4)
        assert queue.wait()[0].token == 4


def test_waking_and_closing():
    queue = gpustream.Queue()
    queue.wake()
    assert queue.wait() == []
    queue.close()
    queue.close()
    assert repr(queue) == "<gpustream.Queue closed>"
    for call in (queue.poll, queue.wait, queue.fileno, queue.wake, lambda: queue.cancel(1), lambda: queue.add(gpustream.Stream(), 1)):
        raises(gpustream.InvalidHandleError, call)


@pytest.mark.parametrize("make", [
    lambda: gpustream.Queue(0), lambda: gpustream.Queue("8"), lambda: gpustream.Queue(2**40), lambda: gpustream.Queue().add(7, 1),
    lambda: gpustream.Queue().add(gpustream.Stream(), "one"), lambda: gpustream.Queue().add(gpustream.Stream(), -1),
    lambda: gpustream.Queue().poll(0), lambda: gpustream.Queue().wait(-1), lambda: gpustream.Queue().wait(float("nan")),
    lambda: gpustream.Queue().wait("soon"), lambda: gpustream.Queue().wait(True), lambda: pickle.dumps(gpustream.Queue()),
])
def test_bad_input(make):
    raises((TypeError, ValueError, OverflowError), make)


def test_a_number_of_entries_is_named():
    queue = gpustream.Queue()
    for most in (0, -1):
        raises(gpustream.InvalidArgumentError, f"^argument 'max_entries' must be at least 1, not {most}$", queue.wait, 0, most)
        raises(gpustream.InvalidArgumentError, "max_entries", queue.poll, most)
    raises(gpustream.TimeLimitError, r"a time limit passed; the work goes on.*Stream\.explain\(\)", queue.wait, 0)


def test_a_queue_ends_with_its_last_reference(gate):
    held = gate(stream := gpustream.Stream())
    queue = gpustream.Queue()
    queue.add(stream, 1)
    known = weakref.ref(queue)
    del queue
    gc.collect()
    assert known() is None
    held.open()
    stream.synchronize()
