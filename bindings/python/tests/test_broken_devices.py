# SPDX-License-Identifier: Apache-2.0
"""What Python says and does when the fake driver's device breaks under its work, and when that driver lacks or fails something."""
import pytest

IMPORTS = """
import gc, sys, threading
import gpustream
from gpustream import Buffer
from support.fake_driver import fake, inject
from support.native import Gate
from support.refusals import raises
"""
BREAKS = """
stream, gate, seen = gpustream.Stream(), Gate(), []
stream.record_event()  # an unused stream is known to be idle
def break_device():
    fake.fake_cuda_break_device(0, 700)
    gate.open()
"""
CASES = {
    "deferred functions run": """
ran = threading.Event()
gate.hold(stream)
for _ in range(100):
    stream.defer(ran.set)
break_device()
assert ran.wait(50)""",
    "host functions are not called": """
gate.hold(stream)
stream.launch_host(lambda: seen.append(1))
break_device()
assert raises(gpustream.StickyError, stream.synchronize).native_code == 700 and not seen""",
    "callbacks are refused or reported": """
sys.unraisablehook = lambda item: seen.append((item.exc_type, item.object))
stream.add_done_callback(lambda: None)
stream.synchronize()
break_device()
fn = lambda: seen.append("called")
try:
    stream.add_done_callback(fn)
except gpustream.StickyError:
    pass
else:
    while not seen:
        pass
    assert issubclass(seen[0][0], gpustream.Error) and seen[0][1] is fn""",
    "entries carry it": """
queue, entries = gpustream.Queue(), []
gate.hold(stream)
for token in range(100):
    queue.add(stream, token)
break_device()
while len(entries) < 100:
    entries += queue.wait(30)
assert sorted(entry.token for entry in entries) == list(range(100))
assert {(entry.native_code, isinstance(entry.error, gpustream.Error), entry.status is entry.error.status) for entry in entries} == {(700, True, True)}""",
    "waits raise it": """
gate.hold(stream)
event = stream.record_event()
threading.Timer(0.05, break_device).start()
for wait in (stream.synchronize, event.synchronize, lambda: gpustream.wait_any([event]), lambda: gpustream.wait_all([event]), gpustream.synchronize):
    assert raises(gpustream.Error, wait).native_code == 700""",
    "errors name the origin": """
break_device()
first, second = raises(gpustream.StickyError, lambda: stream.synchronize(1)), raises(gpustream.StickyError, stream.query)
assert [(error.sticky, error.backend, error.native_code) for error in (first, second)] == [(True, "cuda", 700)] * 2
assert (first.function, second.function) == ("gs_stream_synchronize_for", "gs_stream_query")
assert "CUDA_ERROR_ILLEGAL_ADDRESS" in first.origin and first.origin == second.origin
other = raises(gpustream.InvalidDeviceError, lambda: gpustream.Stream(99))
assert not other.sticky and other.origin == "" """,
    "buffers end": """
buffers = [Buffer(64, stream=stream), Buffer(64), Buffer(64, pinned=True)]
buffers[1].record_stream(stream)
foreign = gpustream.from_dlpack(buffers[2])
break_device()
raises(gpustream.Error, buffers[0].to_bytes)
raises(gpustream.StickyError, lambda: Buffer(1))
buffers[0].close()
del foreign
buffers.clear()
gc.collect()""",
}


# What the fake driver lacks or fails, and what follows.
DRIVERS = {
    "no memory for a stream": ({"FAKE_CUDA_FAIL": "cuStreamCreateWithPriority,1,2"}, """
error = raises(gpustream.OutOfMemoryError, gpustream.Stream)
assert (error.status.name, error.native_code, error.native_function) == ("OUT_OF_MEMORY", 2, "cuStreamCreateWithPriority")"""),
    "a failed free": ({"FAKE_CUDA_FAIL": "cuMemFreeAsync,1,999"}, """
pointer = gpustream.caching_allocator_alloc(512, stream=gpustream.per_thread_stream())  # which has no cache
assert raises(gpustream.DriverError, gpustream.caching_allocator_delete, pointer).native_function == "cuMemFreeAsync"
raises(gpustream.InvalidArgumentError, gpustream.caching_allocator_delete, pointer)
assert gpustream.memory_snapshot() == []"""),
    "a failed free of page-locked memory": ({"FAKE_CUDA_FAIL": "cuMemFreeHost,1,999"}, """
assert raises(gpustream.DriverError, gpustream._free_host, gpustream._malloc_host(64)).native_function == "cuMemFreeHost"
stats = gpustream.host_memory_stats()
assert (stats["allocations.current"], stats["allocations.freed"]) == (0, 1)"""),
    "no pools": ({"FAKE_CUDA_NO_POOLS": "1"}, """
pool = gpustream.MemPool()
raises(gpustream.NotSupportedError, gpustream.use_mem_pool(pool).__enter__)
assert (pool.use_count(), gpustream.memory_allocated(), gpustream.memory_reserved()) == (1, 0, 0)
assert gpustream._core.gs_current_pool(0) == gpustream._core.gs_pool_default(0)"""),
    "no green contexts": ({"FAKE_CUDA_DRIVER_VERSION": "12040"}, """
raises(gpustream.NotSupportedError, "CUDA 12.5 or later", gpustream.GreenContext, num_sms=8)
gpustream.Stream().synchronize()"""),
    "a device that was reset": ({}, """
stream = gpustream.Stream(0)
gpustream.reset_device(0)
error = raises(gpustream.ContextLostError, stream.synchronize)
assert error.sticky and error.origin and error.stream == stream and error.device == gpustream.Device(0) and error.event is None"""),
}


@pytest.mark.parametrize("case", [*CASES, *DRIVERS])
def test_a_broken_device(run_python, case):
    environment, code = DRIVERS.get(case) or ({}, BREAKS + CASES[case])
    assert run_python(IMPORTS + code, GPUSTREAM_BACKEND="cuda", GPUSTREAM_LIBCUDA=pytest.fake_cuda(), **environment) == ""
