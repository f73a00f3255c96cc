# SPDX-License-Identifier: Apache-2.0
"""The calls that are compared, in the words of each library. A library that is not installed has no statements.

Each statement is timed as it stands, in a loop of Python. `reset` runs between the repetitions, untimed.
"""
import importlib


class Peer:
    def __init__(self, name, label, colour, setup, statements):
        self.name, self.label, self.colour, self.statements = name, label, colour, statements
        self.names = {}
        self.missing = None
        try:
            exec(setup, self.names)  # the text below
        except Exception as error:  # whatever another library meets is a reason to go on without it, and printed
            self.missing = f"{type(error).__name__}: {error}"


# "hold" puts a sleeping kernel into `long`, so that `pending` is not done during the measurement.
CALLS = ["record", "wait, pending event", "wait, complete event", "wait, same stream", "query, complete event", "query, idle stream",
         "event create + drop", "stream create + drop", "wait_stream", "elapsed", "current stream", "with stream"]

GPUSTREAM = Peer("gpustream", "gpustream", "#0b7a75", """
import gpustream
stream, other, long = gpustream.Stream(), gpustream.Stream(), gpustream.Stream()
event, done, pending = gpustream.Event(), gpustream.Event(), gpustream.Event()
Event, Stream, current = gpustream.Event, gpustream.Stream, gpustream.current_stream
start, end = gpustream.Event(enable_timing=True), gpustream.Event(enable_timing=True)
for one in (done, start, end): one.record(stream)
stream.synchronize()
assert done.query() and end.query()
def hold():
    with long: gpustream._sleep(CYCLES)
    pending.record(long)
def reset():
    for one in (stream, other, long): one.synchronize()
""", {
    "record": "event.record(stream)", "wait, pending event": "pending.wait(other)", "wait, complete event": "done.wait(other)",
    "wait, same stream": "event.wait(stream)", "query, complete event": "done.query()", "query, idle stream": "stream.query()",
    "event create + drop": "Event()", "stream create + drop": "Stream()", "wait_stream": "other.wait_stream(stream)",
    "elapsed": "start.elapsed_time(end)", "current stream": "current()", "with stream": "with stream: pass",
})

TORCH = Peer("torch", "PyTorch", "#c0392b", """
import torch
stream, other, long = torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.Stream()
event, done, pending = torch.cuda.Event(), torch.cuda.Event(), torch.cuda.Event()
Event, Stream, current, within = torch.cuda.Event, torch.cuda.Stream, torch.cuda.current_stream, torch.cuda.stream
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
for one in (event, done, start, end): one.record(stream)
stream.synchronize()
def hold():
    with torch.cuda.stream(long): torch.cuda._sleep(CYCLES)
    pending.record(long)
def reset():
    torch.cuda.synchronize()
""", {
    "record": "event.record(stream)", "wait, pending event": "pending.wait(other)", "wait, complete event": "done.wait(other)",
    "wait, same stream": "event.wait(stream)", "query, complete event": "done.query()", "query, idle stream": "stream.query()",
    "event create + drop": "Event()", "stream create + drop": "Stream()", "wait_stream": "other.wait_stream(stream)",
    "elapsed": "start.elapsed_time(end)", "current stream": "current()", "with stream": "with within(stream): pass",
})

CUPY = Peer("cupy", "CuPy", "#b8860b", """
import cupy
Stream, Event = cupy.cuda.Stream, cupy.cuda.Event
stream, other, long = Stream(non_blocking=True), Stream(non_blocking=True), Stream(non_blocking=True)
event, done, pending = Event(disable_timing=True), Event(disable_timing=True), Event(disable_timing=True)
start, end, elapsed, current = Event(), Event(), cupy.cuda.get_elapsed_time, cupy.cuda.get_current_stream
for one in (event, done, start, end): one.record(stream)
stream.synchronize()
spin = cupy.RawKernel('extern "C" __global__ void spin(long long n) { long long t = clock64(); while (clock64() - t < n); }', 'spin')
def hold():
    with long: spin((1,), (1,), (cupy.int64(CYCLES),))
    pending.record(long)
def reset():
    for one in (stream, other, long): one.synchronize()
""", {
    "record": "event.record(stream)", "wait, pending event": "other.wait_event(pending)", "wait, complete event": "other.wait_event(done)",
    "wait, same stream": "stream.wait_event(event)", "query, complete event": "done.done", "query, idle stream": "stream.done",
    "event create + drop": "Event(disable_timing=True)", "stream create + drop": "Stream(non_blocking=True)",
    "wait_stream": "other.wait_event(stream.record(Event(disable_timing=True)))", "elapsed": "elapsed(start, end)",
    "current stream": "current()", "with stream": "with stream: pass",
})

CUDA_CORE = Peer("core", "cuda.core", "#6a51a3", """
try:
    from cuda.core import Device, EventOptions, LaunchConfig, Program, ProgramOptions, launch
except ImportError:
    from cuda.core.experimental import Device, EventOptions, LaunchConfig, Program, ProgramOptions, launch
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
create = device.create_stream
create_event = device.create_event
""", {
    "record": "stream.record(event)", "wait, pending event": "other.wait(pending)", "wait, complete event": "other.wait(done)",
    "wait, same stream": "stream.wait(event)", "query, complete event": "done.is_done", "event create + drop": "create_event()",
    "stream create + drop": "create()", "wait_stream": "other.wait(stream)", "elapsed": "end - start",
})

NUMBA = Peer("numba", "numba-cuda", "#2b6cb0", """
from numba import cuda
stream, other = cuda.stream(), cuda.stream()
event, done = cuda.event(timing=False), cuda.event(timing=False)
start, end = cuda.event(), cuda.event()
for one in (event, done, start, end): one.record(stream)
stream.synchronize()
def reset():
    for one in (stream, other): one.synchronize()
""", {
    "record": "event.record(stream)", "wait, complete event": "done.wait(other)", "wait, same stream": "event.wait(stream)",
    "query, complete event": "done.query()", "event create + drop": "cuda.event(timing=False)", "stream create + drop": "cuda.stream()",
    "elapsed": "start.elapsed_time(end)",
})

ALL = [GPUSTREAM, TORCH, CUPY, CUDA_CORE, NUMBA]


def package_version(name):
    module = {"core": "cuda.core", "numba": "numba_cuda"}.get(name, name)
    try:
        return importlib.import_module(module).__version__
    except (ImportError, AttributeError):
        return "unknown version"
