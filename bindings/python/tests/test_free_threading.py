# SPDX-License-Identifier: Apache-2.0
"""Many threads in the extension at once (docs/adr/0031-without-the-gil.md): tables, shared objects, and who ends what. An
interpreter with a GIL runs them too, switching as often as it can."""
import gc
import os
import queue
import weakref
from concurrent.futures import ThreadPoolExecutor

import gpustream
import pytest
from gpustream import _core, interop
from support.at_once import FREE, ROUNDS, THREADS, Theirs, at_once

pytestmark = pytest.mark.usefixtures("frequent_switches")


def test_the_import_leaves_the_gil_as_it_was(run_python):
    out = run_python("""
import sys, warnings
warnings.simplefilter("error")
asked = getattr(sys, "_is_gil_enabled", lambda: True)
before = asked()
import gpustream
gpustream.Stream().synchronize()
print(before, asked())
""", PYTHON_GIL="" if not FREE else os.environ.get("PYTHON_GIL", ""))
    expected = not FREE or os.environ.get("PYTHON_GIL") == "1"
    assert out.split() == [str(expected)] * 2


# ---- current streams -----------------------------------------------------------------------------


def test_each_thread_has_its_own_current_stream():
    shared = gpustream.Stream()
    context = gpustream.stream(shared)

    def use(_):
        own = gpustream.Stream()
        default = gpustream.current_stream()
        for _ in range(ROUNDS):
            with own:
                assert gpustream.current_stream() == own
                with shared, context, gpustream.stream(own):
                    assert gpustream.current_stream() == own
                assert gpustream.current_stream() == own
            with shared:
                assert gpustream.current_stream() == shared
            assert gpustream.current_stream() is default
        return default

    assert {id(default) for default in at_once(use)} == {id(gpustream.default_stream())}


def test_streams_that_share_a_place_come_and_go():
    """The table of known streams has 64 places; a stream that ends on one thread is never found by another. Another thread's stream
    may take a place before its own thread looks there, so what is found is the same stream, and not always the same object."""

    def use(_):
        for _ in range(ROUNDS):
            streams = [gpustream.Stream() for _ in range(16)]
            for stream in streams:
                with stream:
                    found = gpustream.current_stream()
                    assert found == stream and found.handle == stream.handle
            for stream in streams:
                stream.close()
        return True

    assert all(at_once(use, 4))


def test_one_object_stands_for_a_default_stream(run_python):
    """First uses at once: of default streams, of Device objects, of names of arguments."""
    run_python("""
import gpustream
from support.at_once import at_once
def use(_):
    assert gpustream.Device("cuda", index=1) == gpustream.Device(type="cuda", index=1)
    assert gpustream.Event(enable_timing=True)._as_parameter_.value is None
    return id(gpustream.default_stream(device=0)), id(gpustream.current_stream().device), id(gpustream.default_stream(1))
assert len(set(at_once(use))) == 1
""")


def test_bound_exits_end_on_other_threads():
    """A bound __exit__ that another thread drops before its own thread enters the object."""
    stream, bound = gpustream.Stream(), queue.SimpleQueue()

    def drop():
        while bound.get() is not None:
            pass
        return True

    def make(_):
        for _ in range(ROUNDS):
            bound.put(stream.__exit__)
            stream.__enter__()
            assert gpustream.current_stream() == stream
            leave = stream.__exit__
            stream.__exit__(None, None, None)
            assert gpustream.current_stream() != stream
            bound.put(leave)
        return True

    with ThreadPoolExecutor(1) as pool:
        dropped = pool.submit(drop)
        assert all(at_once(make, 4))
        bound.put(None)
        assert dropped.result()


def test_device_guards():
    guard = gpustream.device(1)

    def use(number):
        for _ in range(ROUNDS):
            with gpustream.device(number % 2):
                with guard:
                    assert gpustream.current_device() == 1
                assert gpustream.current_device() == number % 2
        return gpustream.current_device()

    assert at_once(use) == [0] * THREADS


def test_a_context_that_is_changed_while_others_enter_it():
    streams = [gpustream.Stream() for _ in range(2)]
    context = gpustream.StreamContext(streams[0])

    def use(number):
        for round_ in range(ROUNDS):
            if number == 0:
                context.__init__(streams[round_ % 2])
            else:
                with context:
                    assert gpustream.current_stream() in streams
                assert context.stream in streams
        return True

    assert all(at_once(use))


# ---- objects of other libraries ------------------------------------------------------------------


def test_wrappers_of_the_same_foreign_objects():
    keepers = [gpustream.Stream() for _ in range(12)]
    theirs = [Theirs(keeper.cuda_stream) for keeper in keepers]

    def use(number):
        for round_ in range(ROUNDS):
            given = theirs[(number + round_) % len(theirs)]
            with gpustream.stream(given):
                current = gpustream.current_stream()
                assert current.cuda_stream == given.number
            wrapper = interop.as_stream(given)
            assert wrapper == current and interop.as_stream(given) == wrapper
            if round_ % 16 == number:  # a wrapper of this thread alone: that of `given` is the other threads' as well
                own = Theirs(given.number)
                interop.as_stream(own).close()
                assert interop.as_stream(own) == wrapper
        return True

    assert all(at_once(use))
    for given, keeper in zip(theirs, keepers):
        assert interop.as_stream(given) == keeper
    gone = [weakref.ref(given) for given in theirs]
    del theirs, given
    for _ in range(100):
        gc.collect()
        gpustream.Stream()  # the library lets go when it next looks
    assert [ref() for ref in gone] == [None] * len(gone), "a wrapper's owner was kept"


# ---- who ends what -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["stream", "event", "queue", "timeline"])
def test_of_many_that_close_one_ends_it(kind):
    """A second reference to the library's object lives on: no other thread ends it in the place of the first one."""
    make = {"stream": gpustream.Stream, "event": gpustream.Event, "queue": gpustream.Queue, "timeline": gpustream.Timeline}[kind]
    for _ in range(ROUNDS // 4):
        thing = make()
        second = None
        if kind == "event":
            second = gpustream.Event.from_handle(thing.handle)
        elif kind == "stream":
            second = gpustream.Stream(stream_id=thing.stream_id, device_index=0)
        at_once(lambda _: thing.close(), 4)
        assert thing.handle == 0
        if second is not None:
            assert second.query() is True
            second.close()


def test_closing_while_others_use_it():
    for _ in range(ROUNDS // 4):
        stream, event = gpustream.Stream(), gpustream.Event()

        def use(number):
            refused = 0
            for round_ in range(20):
                try:
                    event.record(stream)
                    stream.wait_event(event)
                    event.synchronize(), stream.query()
                    assert event.query() in (True, False) and stream.device.index == 0
                except gpustream.InvalidHandleError:
                    refused += 1
                if number < 2 and round_ == 10:
                    (stream if number else event).close()
            return refused

        refused = at_once(use, 4)
        assert min(refused[:2]) >= 9, "what comes after a thread's own close"
        assert stream.handle == event.handle == 0


def test_a_handle_is_given_out_once():
    """Closed and handed to other code at once: the reference goes one way."""
    for _ in range(ROUNDS // 4):
        stream = gpustream.Stream()
        native = stream.cuda_stream

        def end(number):
            try:
                return _core.gs_stream_into_native(stream) if number else stream.close()
            except gpustream.InvalidHandleError:
                return None

        given = [answer for answer in at_once(end, 3) if answer is not None]
        assert given in ([], [native])
        assert stream.handle == 0
