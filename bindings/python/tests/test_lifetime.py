# SPDX-License-Identifier: Apache-2.0
"""Objects come and go: memory stays flat, objects are collected in time, references are counted right."""
import copy
import gc
import os
import pickle
import sys
import tracemalloc

import gpustream
import pytest
from gpustream._work import _Kernel, _Module
from gpustream.green_contexts import GreenContext, SMPartition
from support.refusals import raises

FULL = os.environ.get("GPUSTREAM_TEST_FULL") == "1"
OBJECTS = 10_000_000 if FULL else 200_000


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def make_events():
    for _ in range(OBJECTS // 4):
        gpustream.Event(), gpustream.Event(True), gpustream.Event(enable_timing=True), gpustream.Event(blocking=True)


def make_streams():
    for _ in range(OBJECTS // 2):
        gpustream.Stream(), gpustream.current_stream(), gpustream.default_stream(), gpustream.Stream(1, priority=-1)


def use_streams():
    stream, other = gpustream.Stream(), gpustream.Stream()
    for index in range(OBJECTS // 20):
        with stream:
            event = stream.record_event()
            other.wait_event(event)
            other.wait_stream(stream)
            gpustream.current_stream().query()
        if index % 100 == 0:
            other.synchronize()


def look_at_streams():
    stream = gpustream.Stream()
    for _ in range(OBJECTS // 100):
        repr(stream), hash(stream), stream == gpustream.current_stream(), stream.device, stream.cuda_stream, stream.__cuda_stream__()
        stream._as_parameter_, stream.priority, stream.device_type, gpustream.ExternalStream(stream.cuda_stream)


def fail_often():
    stream, event = gpustream.Stream(), gpustream.Event()
    for _ in range(OBJECTS // 200):
        for call in (lambda: stream.wait_event(None), lambda: event.record(3), lambda: gpustream.Stream(99), lambda: gpustream.Stream("cpu"),
                     lambda: event.elapsed_time(event), lambda: gpustream.Event(1, enable_timing=1), lambda: event.record(strm=1)):
            try:
                call()
            except (RuntimeError, TypeError, ValueError):
                pass


def callbacks():
    stream = gpustream.Stream()
    for index in range(OBJECTS // 200):
        stream.add_done_callback(int)
        if index % 50 == 0:
            stream.synchronize()
    stream.synchronize()


def memory():
    for _ in range(OBJECTS // 200):
        pointer = gpustream._malloc_async(64)
        gpustream._memset_async(pointer, 0, 64)
        gpustream._free_async(pointer)
    gpustream.synchronize()


@pytest.mark.parametrize("work", [make_events, make_streams, use_streams, look_at_streams, fail_often, callbacks, memory],
                         ids=lambda work: work.__name__)
def test_memory_stays_flat(work):
    """The second round may not need more than the first has left, but for what the allocator keeps back."""
    work()
    gpustream.synchronize()
    gc.collect()
    before = resident()
    work()
    gpustream.synchronize()
    gc.collect()
    assert resident() - before < 2 << 20


def test_python_allocates_nothing_that_stays():
    stream, event = gpustream.Stream(), gpustream.Event(True)

    def work():
        for _ in range(1000):
            event.record(stream), event.wait(stream), event.query(), stream.query()
            with stream:
                pass
            gpustream.Event(), gpustream.Stream(), gpustream.current_stream(), stream.record_event(), event.device, repr(event)
            event.elapsed_time(event) if event.query() else None

    work()
    gc.collect()
    tracemalloc.start()
    try:
        work()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        work()
        gc.collect()
        assert tracemalloc.get_traced_memory()[0] - before < 4096
    finally:
        tracemalloc.stop()


def test_reference_counts():
    stream, event, none = gpustream.Stream(), gpustream.Event(), sys.getrefcount(None)
    counts = sys.getrefcount(stream), sys.getrefcount(event), sys.getrefcount(gpustream.Stream), sys.getrefcount(gpustream.Event)
    for _ in range(1000):
        event.record(stream)
        event.record(stream=stream)
        event.wait(stream)
        stream.record_event(event)
        stream.wait_stream(stream)
        with stream:
            gpustream.current_stream(), gpustream.Event(), gpustream.Stream()
    assert counts == (sys.getrefcount(stream), sys.getrefcount(event), sys.getrefcount(gpustream.Stream), sys.getrefcount(gpustream.Event))
    assert abs(sys.getrefcount(None) - none) < 100


def test_nothing_here_needs_the_collector():
    for kind in (gpustream.Stream, gpustream.Event, gpustream.generic.Stream, gpustream.generic.Event):
        assert not gc.is_tracked(kind())
    gc.disable()
    try:
        before = gpustream._stats()["streams_created"]
        handles = {gpustream.Stream().handle for _ in range(1000)}
        assert gpustream._stats()["streams_created"] - before == 1000 == len(handles)
        assert gpustream._stats()["stream_pool_hits"] > 0
    finally:
        gc.enable()


def test_destroyed_behind_our_back(no_unraisable):
    import ctypes
    library = ctypes.CDLL("libgpustream.so.0")
    library.gs_event_destroy.argtypes = [ctypes.c_void_p]
    event = gpustream.Event()
    assert library.gs_event_destroy(event.handle) == 0
    del event
    assert [item.exc_type for item in no_unraisable] == [gpustream.InvalidHandleError]
    no_unraisable.clear()


def test_objects_that_were_given_up(no_unraisable):
    """Their reference ended with the call: they are closed, and nothing is destroyed a second time."""
    core = gpustream._core
    stream, event = gpustream.Stream(), gpustream.Event()
    event.record(stream)
    stream.synchronize()
    with stream:
        pass
    raw, raw_event = core.gs_stream_into_native(stream), core.gs_event_into_native(event)
    for thing in (stream, event):
        raises(gpustream.InvalidHandleError, thing.query)
        thing.close()
    assert raw and raw_event and gpustream.ExternalStream(raw).query()
    raises(gpustream.InvalidArgumentError, lambda: core.gs_stream_into_native(gpustream.default_stream()))
    assert gpustream.default_stream().query() in (True, False)
    del stream, event
    assert no_unraisable == []


def test_owners_are_neither_copied_nor_pickled():
    """The end of a copy would end the original, and its number may be another object's elsewhere."""
    owners = [gpustream.Stream(), gpustream.generic.Stream(), gpustream.Event(), gpustream.Buffer(8), gpustream.MemPool(), gpustream.Queue(), gpustream.Timeline(),
              gpustream.Graph(), gpustream.Graph().instantiate(), gpustream.CUDAGraph(), gpustream.StreamPool(1)]
    owners += [kind.__new__(kind) for kind in (_Module, _Kernel, GreenContext, SMPartition)]
    for owner in owners:
        for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
            advice = {"Stream": "a stream is", "Event": ".*create it with interprocess=True and send its ipc_handle",
                      "Buffer": ".*to_bytes\\(\\) copies its contents"}.get(type(owner).__name__, "")
            raises(TypeError, f"cannot pickle or copy '{type(owner).__name__}' objects: {advice}", attempt, owner)
