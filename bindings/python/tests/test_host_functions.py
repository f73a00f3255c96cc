# SPDX-License-Identifier: Apache-2.0
"""Stream.launch_host(), defer() and keep(): functions that hold their stream, and the GIL while they do."""
import ctypes
import gc
import threading
import weakref

import gpustream
import pytest
from support.refusals import raises
from test_gil import full_queue  # noqa: F401


@pytest.mark.parametrize("wait", ["stream", "event", "device", "any", "all", "queue", "timeline", "callbacks"])
def test_no_wait_of_ours_keeps_the_gil(wait):
    """None would return if it did."""
    stream, seen, queue, timeline = gpustream.Stream(), [], gpustream.Queue(), gpustream.Timeline()
    for round_ in range(1, 21):
        stream.launch_host(lambda: seen.append(1))
        event = stream.record_event()
        queue.add(event, 1)
        timeline.signal(round_, stream)
        if wait == "callbacks":
            stream.add_done_callback(lambda: None)
        {"stream": stream.synchronize, "event": event.synchronize, "device": gpustream.synchronize, "callbacks": stream.synchronize,
         "any": lambda: gpustream.wait_any([event]), "all": lambda: gpustream.wait_all([event]), "queue": queue.wait,
         "timeline": lambda: timeline.synchronize(round_)}[wait]()  # noqa: B023
        assert event.query()
    assert len(seen) == 20


# With the GIL held by the record, the function that makes room would never run.
HOLDS_WHILE_FULL = """
import ctypes, os
import gpustream
from support.native import Gate
queue, gate = ctypes.CDLL(os.environ["GPUSTREAM_LIBCUDA"]), Gate()
stream, other, event = gpustream.Stream(), gpustream.Stream(), gpustream.Event()
event.record(other)
gate.hold(stream)
stream.launch_host(lambda: queue.full_queue_set(0))
queue.full_queue_set(1)
gate.open()
event.record(other)
stream.synchronize()
event.record(other)
print("done", gpustream._core.gives_up_gil)
"""


def test_submitting_gives_the_gil_up_while_a_function_holds_a_stream(run_python, full_queue):  # noqa: F811
    out = run_python(HOLDS_WHILE_FULL, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=full_queue, FULL_QUEUE_DRIVER=pytest.fake_cuda(), GPUSTREAM_GIL="keep")
    assert out.split() == ["done", "0"], out


def test_what_waits_is_refused_where_others_wait():
    """Each would hang."""
    stream, event, queue, timeline = gpustream.Stream(), gpustream.Event(), gpustream.Queue(), gpustream.Timeline()
    event.record(stream)
    refused = []

    def calls():
        for call in (stream.synchronize, event.synchronize, gpustream.synchronize, lambda: gpustream.wait_any([event]),
                     lambda: gpustream.wait_all([event]), queue.wait, lambda: timeline.synchronize(1), gpustream.Stream,
                     lambda: gpustream._Module("/nowhere"), lambda: gpustream._malloc_host(8)):
            raises(gpustream.NotPermittedError, "may not block", call)
        refused.append(threading.current_thread().name)

    graph = gpustream.Graph()
    graph.add_host(calls)
    executable = graph.instantiate()
    with stream:
        executable.launch()
    stream.launch_host(calls)
    stream.add_done_callback(calls)
    stream.synchronize()
    deferred = threading.Event()
    stream.defer(lambda: (calls(), deferred.set()))
    gpustream._trim()
    assert deferred.wait(60) and refused == ["gpustream-callbacks"] * 4
    copied = ctypes.create_string_buffer(b"copy", 8)  # pageable memory, which a callback may copy
    stream.add_done_callback(lambda: gpustream._memcpy_async(ctypes.addressof(copied) + 4, ctypes.addressof(copied), 4, stream))
    stream.synchronize()
    stream.synchronize()
    assert copied.raw == b"copycopy"


def test_what_may_not_end_in_a_function_ends_after_it(monkeypatch):
    stream, ended, seen = gpustream.Stream(), [], []
    module = gpustream._Module.__new__(gpustream._Module)
    module._handle = 1
    destroy = gpustream._core.gs_module_destroy
    monkeypatch.setattr(gpustream._core, "gs_module_destroy", lambda handle: ended.append(handle) if handle != 1 or seen else destroy(handle))

    def function():
        nonlocal module
        raises(gpustream.NotPermittedError, module.close)
        assert module._handle == 1
        del module
        seen.append(1)

    stream.launch_host(function)
    stream.synchronize()
    stream.add_done_callback(lambda: None)
    stream.synchronize()
    assert ended == [1]


def test_callbacks_are_refused_in_a_capture():
    stream, graph = gpustream.Stream(), gpustream.Graph()
    with stream, graph:
        gpustream._sleep(1)
        raises(gpustream.CapturingError, "launch_host", stream.add_done_callback, print)
    assert len(graph.nodes) == 1


def settle(condition):
    """Until what was deferred has run: marks are made by gs_trim()."""
    for _ in range(20_000):
        if condition():
            return True
        gpustream._trim()
        gpustream._core.graph_release_ended()
        gpustream.Stream().add_done_callback(int)
        gpustream.synchronize()
    return False


class Thing:
    pass


def test_functions_run_after_the_work(gate):
    stream, held, seen = gpustream.Stream(), gate(), []
    held.hold(stream)
    for number in range(150):
        assert stream.defer(lambda number=number: seen.append((number, threading.get_ident()))) is None
    gpustream._trim()
    gpustream.Stream().synchronize()
    assert seen == []
    held.open()
    stream.synchronize()
    assert settle(lambda: len(seen) == 150)
    assert [number for number, _ in seen] == list(range(150))
    assert threading.get_ident() not in {thread for _, thread in seen}


def test_things_are_kept_until_then(gate):
    stream, held, thing = gpustream.Stream(), gate(), Thing()
    known = weakref.ref(thing)
    held.hold(stream)
    assert stream.keep(thing) is None
    del thing
    gc.collect()
    gpustream._trim()
    assert known() is not None
    held.open()
    stream.synchronize()
    assert settle(lambda: known() is None)


def test_a_stream_that_ends_takes_its_functions_along():
    seen, thing = [], Thing()
    known = weakref.ref(thing)
    stream = gpustream.Stream()
    stream.defer(lambda: seen.append(1))
    stream.keep(thing)
    del stream, thing
    assert settle(lambda: seen == [1] and known() is None)


def test_in_a_capture_the_graph_keeps():
    stream, graph, thing, seen = gpustream.Stream(), gpustream.Graph(), Thing(), []
    known = weakref.ref(thing)
    with stream, graph:
        gpustream._sleep(1)
        stream.keep(thing)
        stream.defer(lambda: seen.append(1))
    del thing
    executable = graph.instantiate()
    graph.close()
    executable.launch(stream)
    stream.synchronize()
    gpustream._trim()
    assert known() is not None and seen == []
    executable.close()
    assert settle(lambda: known() is None and seen == [1])
