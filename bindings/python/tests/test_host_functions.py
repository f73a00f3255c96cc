# SPDX-License-Identifier: Apache-2.0
"""Stream.launch_host(): functions that hold their stream, and the GIL while they do."""
import ctypes
import threading

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
