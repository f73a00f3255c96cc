# SPDX-License-Identifier: Apache-2.0
"""gpustream.Queue."""
import gc
import pickle
import weakref

import gpustream
import pytest
from gpustream.errors import Status
from support.refusals import raises


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
