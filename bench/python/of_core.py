# SPDX-License-Identifier: Apache-2.0
"""cuda.core's statements for the rows of calls.py."""

SETUP = """
try:
    from cuda.core import Device, EventOptions, LaunchConfig, Program, ProgramOptions, Stream, launch
except ImportError:
    from cuda.core.experimental import Device, EventOptions, LaunchConfig, Program, ProgramOptions, Stream, launch
device = Device(0)
device.set_current()
stream, other, long = device.create_stream(), device.create_stream(), device.create_stream()
event, done = stream.record(), stream.record()
timed = {}
for keyword in ("timing_enabled", "enable_timing"):  # renamed between releases
    try: timed = EventOptions(**{keyword: True})
    except TypeError: continue
    break
start, end = stream.record(options=timed), stream.record(options=timed)
stream.sync()
source = 'extern "C" __global__ void spin(long long n) { long long t = clock64(); while (clock64() - t < n); }'
arch = "".join(str(part) for part in device.compute_capability)
spin = Program(source, code_type="c++", options=ProgramOptions(arch=f"sm_{arch}")).compile("cubin").get_kernel("spin")
def hold():
    import ctypes
    global pending
    launch(long, LaunchConfig(grid=1, block=1), spin, ctypes.c_int64(CYCLES))
    pending = long.record()
def reset():
    for one in (stream, other, long): one.sync()
def build():
    builder = stream.create_graph_builder()
    builder.begin_building()
    launch(builder, LaunchConfig(grid=1, block=1), spin, ctypes.c_int64(0))
    return builder.end_building()
def capture(): build().complete()
import ctypes
launch(stream, LaunchConfig(grid=1, block=1), spin, ctypes.c_int64(0))
stream.sync()
try:
    first, second = build(), build()
    executable = first.complete()
except Exception as error:  # older releases have no graphs; their rows then have no numbers
    print("cuda.core without graphs:", error)
create = device.create_stream
create_event = device.create_event
raw = int(device.create_stream().handle)
"""

STATEMENTS = {
    "record": "stream.record(event)", "record_event, new event": "stream.record()", "wait, pending event": "other.wait(pending)",
    "wait, complete event": "other.wait(done)", "wait, same stream": "stream.wait(event)", "wait_stream": "other.wait(stream)",
    "query, complete event": "done.is_done", "synchronize, complete event": "done.sync()", "synchronize, idle stream": "stream.sync()",
    "synchronize, idle device": "device.sync()", "elapsed": "end - start", "event create + drop": "create_event()",
    "event with timing, create + drop": "create_event(options=timed)", "event create + close": "create_event().close()",
    "stream create + drop": "create()", "stream create + close": "create().close()",
    "set_device": "Device(0).set_current()", "current device": "Device().device_id", "raw stream": "stream.handle",
    "stream protocol": "stream.__cuda_stream__()", "stream's device": "stream.device", "stream's priority": "stream.priority",
    "stream ==": "stream == other", "hash of a stream": "hash(stream)", "repr of a stream": "repr(stream)", "raw event": "done.handle",
    "event's device": "done.device", "repr of an event": "repr(done)", "wrap a raw stream": "Stream.from_handle(raw)",
    "graph launch": "executable.launch(stream)", "graph update": "executable.update(second)", "capture + instantiate": "capture()",
    "device object": "Device(0)", "device properties": "Device(0).properties", "device name": "Device(0).name",
    "device capability": "Device(0).compute_capability",
}
