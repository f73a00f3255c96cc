# SPDX-License-Identifier: Apache-2.0
"""Stream.add_done_callback(), and what all methods that take a function share."""
import gc
import threading
import weakref

import gpustream
import pytest
from support.refusals import raises
from test_host_functions import settle

METHODS = pytest.mark.parametrize("method", ["add_done_callback", "defer", "launch_host"])


def test_order_and_thread():
    stream, seen = gpustream.Stream(), []
    for number in range(200):
        assert stream.add_done_callback(lambda number=number: seen.append((number, threading.get_ident()))) is None
    stream.synchronize()
    assert [number for number, _ in seen] == list(range(200))
    assert {thread for _, thread in seen} != {threading.get_ident()}


@pytest.mark.parametrize("wait", ["stream", "event", "device", "another stream"])
def test_synchronize_returns_after_the_callbacks(wait, gate):
    for _ in range(50):
        stream, other, seen = gpustream.Stream(), gpustream.Stream(), []
        gpustream._sleep(1)
        stream.add_done_callback(lambda: seen.append(1))
        event = stream.record_event()
        other.wait_event(event)
        {"stream": stream.synchronize, "event": event.synchronize, "device": gpustream.synchronize,
         "another stream": other.synchronize}[wait]()
        assert seen == [1]


def test_does_not_run_before_the_work(gate):
    stream, held, seen = gpustream.Stream(), gate(), []
    held.hold(stream)
    stream.add_done_callback(lambda: seen.append(1))
    other = gpustream.Stream()
    other.synchronize()  # does not wait for callbacks whose work is not done
    assert seen == []
    held.open()
    stream.synchronize()
    assert seen == [1]


def test_does_not_hold_the_stream():
    stream, release = gpustream.Stream(), threading.Event()
    stream.add_done_callback(release.wait)
    event = stream.record_event()
    while not event.query():
        pass
    assert not release.is_set()
    release.set()
    stream.synchronize()


def test_calls_allowed_inside():
    stream, other, seen = gpustream.Stream(), gpustream.Stream(1), []

    def inside():
        seen.append(stream.query())
        with other:
            seen.append(gpustream.current_stream() == other)
        event = other.record_event()
        event.query()
        other.add_done_callback(lambda: seen.append("nested"))

    stream.add_done_callback(inside)
    stream.synchronize()
    other.synchronize()
    assert seen == [True, True, "nested"]


FAILING = '''
import sys
import gpustream

def fails():
    raise KeyError("lost")

def leaves():
    raise SystemExit(3)

def hook_that_raises(item):
    raise OSError("no hook")

stream, seen = gpustream.Stream(), []
if {hook!r} != "default":
    sys.unraisablehook = {hook}
for fn in (fails, leaves, lambda: seen.append(1)):
    stream.add_done_callback(fn)
stream.synchronize()
assert seen == [1]
stream.add_done_callback(lambda: seen.append(2))
gpustream.synchronize()
assert seen == [1, 2]
'''


@pytest.mark.parametrize("hook, said", [
    ("default", ["Exception ignored in: <function fails", "KeyError: 'lost'", "<function leaves", "SystemExit: 3"]),
    ("hook_that_raises", ["<function hook_that_raises", "OSError: no hook"]),
    ("sys.__unraisablehook__", ["KeyError: 'lost'", "SystemExit: 3"]),
    ("lambda item: print(item.exc_type.__name__, item.object.__name__)", ["KeyError fails", "SystemExit leaves"]),
    ("None", ["KeyError: 'lost'", "SystemExit: 3"]),
], ids=["default", "raises", "the default by name", "replaced", "none"])
def test_exceptions_leave_the_thread_alive(run_python, hook, said):
    """By the interpreter's own hook, too, which this process has replaced."""
    out = run_python(FAILING.format(hook=hook))
    assert [text for text in said if text not in out] == [], out


def test_write_unraisable_takes_exceptions_only():
    for wrong in ((), (1, None), (KeyError, None)):
        raises(TypeError, gpustream._core.write_unraisable, *wrong)


def test_stream_may_go_first():
    seen, done = [], threading.Event()
    stream = gpustream.Stream()
    stream.add_done_callback(lambda: (seen.append(1), done.set()))
    del stream
    assert done.wait(60) and seen == [1]


@METHODS
def test_exceptions_are_reported(method, no_unraisable):
    """They hold nothing up."""
    stream, seen = gpustream.Stream(), []

    def fails():
        raise KeyError("lost")

    def leaves():
        raise SystemExit(3)

    for function in (fails, leaves, lambda: seen.append(1)):
        getattr(stream, method)(function)
    stream.synchronize()
    assert settle(lambda: seen == [1])
    assert [item.exc_type for item in no_unraisable] == [KeyError, SystemExit]
    assert no_unraisable[0].object is fails and no_unraisable[0].exc_traceback is not None
    no_unraisable.clear()


@METHODS
def test_nothing_is_kept(method):
    class Thing:
        def __call__(self):
            pass

    stream, thing = gpustream.Stream(), Thing()
    ref = weakref.ref(thing)
    getattr(stream, method)(thing)
    stream.synchronize()
    del thing
    assert settle(lambda: gc.collect() >= 0 and ref() is None)


@METHODS
def test_bad_calls(method):
    stream = gpustream.Stream()
    raises(TypeError, rf"{method}\(\): argument 'fn' must be callable, not int", lambda: getattr(stream, method)(7))
    stream.close()
    for submit in (getattr(stream, method), stream.keep):
        raises(gpustream.InvalidHandleError, submit, print)
    gpustream.synchronize()  # nothing is left that it could wait for


@METHODS
def test_what_a_function_submits_is_behind_the_work(method, reports):
    stream, other, memory = gpustream.Stream(), gpustream.Stream(), gpustream.Buffer(64)
    gpustream.synchronize()
    for _ in range(2):  # by a thread that has begun, the second time
        ran = threading.Event()
        gpustream.check.write(memory, stream)
        getattr(stream, method)(lambda ran=ran: (gpustream.check.write(memory, other), ran.set()))
        gpustream._trim()  # a deferred function's batch begins
        assert ran.wait(60)
        other.synchronize()
    assert reports == []
