# SPDX-License-Identifier: Apache-2.0
"""CuPy's statements for the rows of calls.py."""

SETUP = """
import cupy
Stream, Event, Device, runtime = cupy.cuda.Stream, cupy.cuda.Event, cupy.cuda.Device, cupy.cuda.runtime
stream, other, long = Stream(non_blocking=True), Stream(non_blocking=True), Stream(non_blocking=True)
event, done, pending = Event(disable_timing=True), Event(disable_timing=True), Event(disable_timing=True)
start, end, elapsed, current = Event(), Event(), cupy.cuda.get_elapsed_time, cupy.cuda.get_current_stream
for one in (event, done, start, end): one.record(stream)
stream.synchronize()
raw, device, b_device, last = Stream(non_blocking=True).ptr, Device(0), Device(0), runtime.getDeviceCount() - 1
def nothing(argument): pass
spin = cupy.RawKernel('extern "C" __global__ void spin(long long n) { long long t = clock64(); while (clock64() - t < n); }', 'spin')
def hold():
    with long: spin((1,), (1,), (cupy.int64(CYCLES),))
    pending.record(long)
def reset():
    Stream.null.use()
    for one in (stream, other, long): one.synchronize()
"""

STATEMENTS = {
    "record": "event.record(stream)", "record, current stream": "event.record()",
    "record_event, new event": "stream.record(Event(disable_timing=True))",
    "wait, pending event": "other.wait_event(pending)", "wait, complete event": "other.wait_event(done)",
    "wait, same stream": "stream.wait_event(event)", "wait_stream": "other.wait_event(stream.record(Event(disable_timing=True)))",
    "query, complete event": "done.done", "query, idle stream": "stream.done", "synchronize, complete event": "done.synchronize()",
    "synchronize, idle stream": "stream.synchronize()", "synchronize, idle device": "device.synchronize()", "elapsed": "elapsed(start, end)",
    "buffer create + drop": "cupy.empty(1 << 20, dtype=cupy.uint8)", "host function": "stream.launch_host_func(nothing, None)", "event create + drop": "Event(disable_timing=True)",
    "event with timing, create + drop": "Event()", "stream create + drop": "Stream(non_blocking=True)",
    "current raw stream": "cupy.cuda.stream.get_current_stream_ptr()", "current stream": "current()", "current stream of a device": "current(0)", "with stream": "with stream: pass",
    "with device": "with Device(0): pass", "set_stream": "other.use()", "set_device": "Device(0).use()",
    "current device": "cupy.cuda.get_device_id()", "device count": "runtime.getDeviceCount()",
    "current stream is capturing": "current().is_capturing()", "stream is capturing": "stream.is_capturing()", "raw stream": "stream.ptr",
    "stream protocol": "stream.__cuda_stream__()", "stream's device": "stream.device_id", "stream's priority": "stream.priority",
    "stream ==": "stream == other", "hash of a stream": "hash(stream)", "repr of a stream": "repr(stream)", "raw event": "done.ptr",
    "repr of an event": "repr(done)", "wrap a raw stream": "cupy.cuda.ExternalStream(raw)", "device object": "Device(0)",
    "device ==": "device == b_device", "hash of a device": "hash(device)", "repr of a device": "repr(device)",
    "device properties": "runtime.getDeviceProperties(0)", "device capability": "device.compute_capability",
    "peer access": "runtime.deviceCanAccessPeer(0, last)", "free memory": "device.mem_info", "cuBLAS handle": "device.cublas_handle",
    "is_available": "cupy.cuda.is_available()",
}
