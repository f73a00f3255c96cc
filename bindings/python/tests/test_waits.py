# SPDX-License-Identifier: Apache-2.0
"""Waits with a limit, for several works, in every mode; Ctrl-C in them and in the package's own code."""
import datetime
import itertools
import select
import threading

import gpustream
import pytest
from gpustream import _callbacks, _queue
from support.interrupts import interrupted
from support.refusals import raises
from test_host_functions import settle


@pytest.mark.parametrize("limit", [0, 0.0, 0.002, 0.05])
def test_a_limit_passes_and_nothing_is_lost(gate, limit):
    held = gate(stream := gpustream.Stream())
    event = stream.record_event()
    for wait in (stream.synchronize, event.synchronize, lambda timeout: gpustream.synchronize(timeout=timeout),
                 lambda timeout: gpustream.synchronize(0, timeout), lambda timeout: gpustream.wait_any([event, stream], timeout),
                 lambda timeout: gpustream.wait_all([stream, event], timeout)):
        for _ in range(2):
            caught = raises(gpustream.TimeLimitError, wait, limit)
            assert isinstance(caught, TimeoutError) and caught.status is gpustream.Status.TIMEOUT
    held.open()
    stream.synchronize(60)
    event.synchronize(timeout=60)
    gpustream.synchronize(timeout=60)
    stream.synchronize(0)
    assert gpustream.wait_any([event, stream], timeout=0) == 0
    assert gpustream.wait_all([event, stream], timeout=None) is None


@pytest.mark.parametrize("mode", ["driver", "spin", "block", "adaptive"])
def test_a_long_wait_ends_with_its_work(wait_mode, gate, mode):
    """Longer than the main thread's first slice, on it and elsewhere; with and without a limit."""
    gpustream.set_wait_mode(mode)
    assert gpustream.get_wait_mode() == mode
    for wait in (lambda s, e: s.synchronize(), lambda s, e: e.synchronize(), lambda s, e: gpustream.synchronize(), lambda s, e: gpustream.wait_any([e]),
                 lambda s, e: gpustream.wait_all([e, s]), lambda s, e: s.synchronize(60), lambda s, e: e.synchronize(60), lambda s, e: gpustream.synchronize(0, 60)):
        held = gate(stream := gpustream.Stream())
        event = stream.record_event()
        timer = threading.Timer(0.06, held.open)
        timer.start()
        wait(stream, event)
        assert event.query()
        timer.join()


def test_later_work_is_not_waited_for(gate, monkeypatch):
    """A long wait of the main thread is for what there was when it began: it is an entry of a queue, which is waited for then."""
    stream, first, second, began, wait_for_entry = gpustream.Stream(), gate(), gate(), threading.Event(), gpustream.Queue._wait
    first.hold(stream)

    def wait(queue, *arguments):
        began.set()
        return wait_for_entry(queue, *arguments)

    def submit_more():
        began.wait()
        second.hold(stream)
        first.open()

    monkeypatch.setattr(gpustream.Queue, "_wait", wait)
    thread = threading.Thread(target=submit_more)
    thread.start()
    stream.synchronize()
    assert not stream.query()
    thread.join()
    second.open()
    stream.synchronize()


def test_any_returns_the_index(gate):
    streams, held = [gpustream.Stream() for _ in range(3)], gate()
    held.hold(streams[0])
    held.hold(streams[2])
    assert gpustream.wait_any(streams) == 1
    blocked = [streams[0].record_event(), streams[2]]
    threading.Timer(0.05, held.open).start()
    assert gpustream.wait_any(blocked) in (0, 1)
    gpustream.wait_all(blocked)
    assert gpustream.wait_any([gpustream.Event(), streams[0]]) == 0
    gpustream.wait_all([])


def test_limits_include_callbacks():
    stream, release, entered = gpustream.Stream(), threading.Event(), threading.Event()
    stream.add_done_callback(lambda: (entered.set(), release.wait()))
    entered.wait()
    try:
        raises(gpustream.TimeLimitError, "callbacks", stream.synchronize, 0.01)
    finally:
        release.set()
    stream.synchronize(60)


@pytest.mark.parametrize("wrong, error", [
    (-1, ValueError), (float("nan"), ValueError), ("1", TypeError), (True, TypeError), (datetime.timedelta(seconds=1), TypeError), ([], TypeError),
])
def test_wrong_limits(wrong, error):
    stream = gpustream.Stream()
    event = stream.record_event()
    for wait in (stream.synchronize, event.synchronize, lambda timeout: gpustream.synchronize(timeout=timeout),
                 lambda timeout: gpustream.wait_any([event], timeout), lambda timeout: gpustream.wait_all([event], timeout)):
        raises(error, "timeout", wait, wrong)


def test_limits_of_all_kinds():
    stream = gpustream.Stream()
    for limit in (None, 0, 1, 1.5, 1e300, float("inf"), 1e-12):
        stream.synchronize(limit)
        gpustream.wait_all([stream], limit)


def test_wrong_works():
    raises(gpustream.InvalidArgumentError, "'works' is empty", gpustream.wait_any, [])
    for wait in (gpustream.wait_any, gpustream.wait_all):
        raises(TypeError, "works", wait, [7])
        raises(TypeError, wait, 7)
        event = gpustream.Event()
        event.close()
        raises(gpustream.InvalidHandleError, wait, [event])


@pytest.fixture
def wait_mode():
    before = gpustream.get_wait_mode()
    yield
    gpustream.set_wait_mode(before)


def test_wrong_modes(wait_mode):
    for wrong in ("sleep", 3, None, ["spin"]):
        raises(gpustream.InvalidArgumentError, "driver, spin, block, adaptive", gpustream.set_wait_mode, wrong)


# SIGINT comes while the main thread waits, or at the latest in its next wait: the outcome is the same.
# A shell that starts the tests in the background ignores SIGINT for all of its children.
INTERRUPTED = """
import os, signal, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
import gpustream
from support.native import Gate
import support.native
stream, gate, queue = gpustream.Stream(), Gate(), gpustream.Queue()
gpustream.set_wait_mode(%r)
gate.hold(stream)
event = stream.record_event()
queue.add(event, 1)
waits = {
    "stream": stream.synchronize, "event": event.synchronize, "device": gpustream.synchronize, "any": lambda: gpustream.wait_any([event]),
    "all": lambda: gpustream.wait_all([event, stream]), "queue": queue.wait, "limit": lambda: stream.synchronize(1000),
    "device limit": lambda: gpustream.synchronize(0, 1000), "callbacks": stream.synchronize,
}
seen = []
for name, wait in waits.items():
    if name == "callbacks":
        stream.add_done_callback(lambda: seen.append("callback"))
    try:
        threading.Timer(0.03, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)).start()
        wait()
    except KeyboardInterrupt:
        seen.append(name)
assert seen == list(waits), seen
gate.open()
for wait in waits.values():
    if wait != queue.wait: wait()
assert queue.wait()[0].token == 1 and seen[-1] == "callback"
print("intact")
"""


@pytest.mark.parametrize("mode", ["driver", "adaptive"])
def test_ctrl_c_interrupts_every_wait(run_python, mode):
    assert run_python(INTERRUPTED % mode).split() == ["intact"]


def test_a_handler_that_returns_does_not_end_the_wait(run_python):
    out = run_python("""
import signal, threading
import gpustream
from support.native import Gate
stream, gate, seen = gpustream.Stream(), Gate(), []
def handler(*_):
    seen.append(stream.query())
    gate.open()
signal.signal(signal.SIGUSR1, handler)
gate.hold(stream)
threading.Timer(0.03, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGUSR1)).start()
stream.synchronize()
print(seen, stream.query())
""")
    assert out.split() == ["[False]", "True"], out


SUBMIT = {"notify", "defer", "gs_stream_launch_host", "launch_held"}


@pytest.mark.parametrize("method", ["add_done_callback", "defer", "launch_host"])
def test_what_was_submitted_is_called(method, monkeypatch, gate):
    gpustream.Stream().add_done_callback(int)  # the thread that serves all of them begins
    for number in itertools.count(1):
        stream, seen = gpustream.Stream(), []
        came, _, returned = interrupted(lambda: getattr(stream, method)(lambda: seen.append(1)), _callbacks, number)  # noqa: B023
        stream.synchronize(30)
        submitted = not SUBMIT.isdisjoint(returned)
        assert settle(lambda: not submitted or seen), (number, returned)  # noqa: B023
        assert len(seen) == submitted, (number, returned)
        if not came:
            break
    assert number > 5
    gpustream.Stream().add_done_callback(int)
    gpustream.synchronize()
    assert gpustream._core.graph_served_count() == gpustream._core.graph_announced()
    around = []
    monkeypatch.setattr(_callbacks, "wait_around", lambda synchronize, timeout_ns: around.append(synchronize()))
    gpustream.synchronize()
    assert not around, "something is still pending"
    gate(stream := gpustream.Stream())
    stream.add_done_callback(int)
    gpustream.Stream().synchronize()
    assert around


BEGINS = """
import sys, threading, time
import gpustream

def profile(frame, event, argument):
    if event == "c_return" and argument.__name__ in ("start_new_thread", "start_joinable_thread"):
        raise KeyboardInterrupt

stream, threads, refused = gpustream.Stream(), set(), []
sys.setprofile(profile)
try:
    stream.add_done_callback(int)
except KeyboardInterrupt:
    print("interrupted")
sys.setprofile(None)

def inside():
    threads.add(threading.get_ident())
    try:
        stream.synchronize()
    except gpustream.NotPermittedError:
        refused.append(1)

for _ in range(100):
    stream.add_done_callback(inside)
    time.sleep(0.001)
stream.synchronize()
print(len(threads), len(refused), [thread.name for thread in threading.enumerate()].count("gpustream-callbacks"))
"""


def test_one_thread_serves_if_its_start_is_interrupted(run_python):
    out = run_python(BEGINS)
    assert out.split() == ["interrupted", "1", "100", "1"], out


@pytest.mark.parametrize("method", ["wait", "poll"])
def test_queues_lose_no_entry(method):
    """Also if the call that takes them again is interrupted."""
    for number in itertools.count(1):
        with gpustream.Queue() as queue:
            for token in range(3):
                queue.add(gpustream.Stream(), token)
            assert select.select([queue], [], [], 60)[0]
            calls = [interrupted(getattr(queue, method), _queue, number) for _ in range(2)]
            tokens = [entry.token for _, entries, _ in calls for entry in entries or ()]
            if not tokens:
                assert select.select([queue], [], [], 60)[0]
                tokens = [queue.wait(max_entries=1)[0].token]
            while len(tokens) < 3:
                entries = queue.wait(5)
                assert entries, "as after wake()"
                tokens += [entry.token for entry in entries]
            assert tokens == [0, 1, 2], (number, calls)
            raises(gpustream.TimeLimitError, queue.wait, 0)
            if not calls[0][0]:
                break
    assert number > 5
