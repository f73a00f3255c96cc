# SPDX-License-Identifier: Apache-2.0
"""gpustream's statements for the rows of calls.py. `hold` puts a sleeping kernel into `long`, so that `pending` is not done."""

SETUP = """
import gpustream
from gpustream import interop, generic
stream, other, long = gpustream.Stream(), gpustream.Stream(), gpustream.Stream()
event, done, pending, shared = gpustream.Event(), gpustream.Event(), gpustream.Event(), gpustream.Event(interprocess=True)
Event, Stream, current, default = gpustream.Event, gpustream.Stream, gpustream.current_stream, gpustream.default_stream
start, end = gpustream.Event(enable_timing=True), gpustream.Event(enable_timing=True)
for one in (done, start, end, shared): one.record(stream)
stream.synchronize()
assert done.query() and end.query()
set_stream, set_device, device, device_of, context = gpustream.set_stream, gpustream.set_device, gpustream.device, gpustream.device_of, gpustream.stream
current_device, device_count, synchronize = gpustream.current_device, gpustream.device_count, gpustream.synchronize
capturing, is_available, is_initialized, init = gpustream.is_current_stream_capturing, gpustream.is_available, gpustream.is_initialized, gpustream.init
raw, External, from_external = gpustream.Stream().cuda_stream, gpustream.ExternalStream, gpustream.get_stream_from_external
owner = gpustream.Stream()
class Foreign:
    def __cuda_stream__(self): return 0, owner.cuda_stream
foreign, as_stream, to_dlpack, from_dlpack = Foreign(), interop.as_stream, interop.to_dlpack, interop.from_dlpack
wrapped = as_stream(foreign)
to_interface, from_interface = interop.to_cuda_array_interface, interop.from_cuda_array_interface
AnyStream, AnyEvent = generic.Stream, generic.Event
any_stream, any_event = AnyStream(), AnyEvent()
Device, a_device, b_device, last = gpustream.Device, gpustream.Device(0), gpustream.Device(0), gpustream.device_count() - 1
properties, name_of, capability, peers = (gpustream.get_device_properties, gpustream.get_device_name, gpustream.get_device_capability,
                                          gpustream.can_device_access_peer)
priority_range, nothing = gpustream.Stream.priority_range, int
raw_current, of_accelerator = gpustream.current_raw_stream, gpustream.accelerator.current_stream
class Plain:
    name = "plain"
    def get(self, index): return 0
    def set(self, index, stream): pass
interop.register_bridge(Plain())
neighbour = None
def other_library():  # torch if it can be led here
    global neighbour
    if neighbour is None:
        neighbour = "plain"
        try:
            interop.lead("torch").end()
            neighbour = "torch"
        except gpustream.Error: pass
    return neighbour
switches = {"with stream, leading": interop.lead, "current stream, following": interop.follow}
def begin(row): return switches[row](other_library()) if row in switches else None
def hold():
    with long: gpustream._sleep(CYCLES)
    pending.record(long)
queue, snapshot = gpustream.Queue(), gpustream.Snapshot()
host_memory = gpustream._malloc_host(64)
captured, first, second = gpustream.CUDAGraph(), gpustream.Graph(), gpustream.Graph()
with gpustream.graph(captured): gpustream._memset_async(host_memory, 1, 64)
for one in (first, second): one.add_memset(host_memory, 1, 64)
executable = first.instantiate()
gpustream.calibrate(0)
timeline, raised = gpustream.Timeline(), gpustream.Timeline()
state = gpustream.get_rng_state(0)
counter = iter(range(1, 1 << 62)).__next__
raised.signal(1, stream)
allocated, reserved, stats_of_memory = gpustream.memory_allocated, gpustream.memory_reserved, gpustream.memory_stats
allocate, delete, mem_pool, use_mem_pool = gpustream.caching_allocator_alloc, gpustream.caching_allocator_delete, gpustream.MemPool(), gpustream.use_mem_pool
with stream: one_buffer, two_buffers = gpustream.Buffer.zeros(1 << 10), gpustream.Buffer.zeros(1 << 11)
def part(made=[]):
    if not made: made += [gpustream.GreenContext(num_sms=1), gpustream.Event()]; made.append(made[0].Stream())
    return made
def capture():
    with gpustream.graph(gpustream.CUDAGraph(), stream=stream): gpustream._memset_async(host_memory, 1, 64)
def reset():
    set_stream(default(0))
    for one in (stream, other, long): one.synchronize()
"""

STATEMENTS = {
    "record": "event.record(stream)", "record, current stream": "event.record()", "record_event, new event": "stream.record_event()",
    "wait, pending event": "pending.wait(other)", "wait, complete event": "done.wait(other)", "wait, same stream": "event.wait(stream)",
    "wait_stream": "other.wait_stream(stream)", "query, complete event": "done.query()", "query, idle stream": "stream.query()",
    "synchronize, complete event": "done.synchronize()", "synchronize, idle stream": "stream.synchronize()",
    "synchronize, idle device": "synchronize()", "elapsed": "start.elapsed_time(end)",
    "elapsed, nanoseconds": "start.elapsed_ns(end)",
    "time by the host's clock": "end.host_time()", "callback": "stream.add_done_callback(nothing)",
    "host function": "stream.launch_host(nothing)", "defer": "stream.defer(nothing)", "keep": "stream.keep(owner)",
    "synchronize with a limit, idle stream": "stream.synchronize(1)", "wait_any, complete event": "gpustream.wait_any([done])",
    "wait_all, complete event": "gpustream.wait_all([done])", "queue, add and wait": "queue.add(stream, 1); queue.wait()",
    "get_wait_mode": "gpustream.get_wait_mode()", "set_wait_mode": "gpustream.set_wait_mode('driver')",
    "get_unrecorded_mode": "gpustream.get_unrecorded_mode()", "set_unrecorded_mode": "gpustream.set_unrecorded_mode('ignore')",
    "seed": "gpustream.manual_seed(7)", "random state": "gpustream.get_rng_state(0)", "set random state": "gpustream.set_rng_state(state, 0)",
    "set_name of a stream": "stream.set_name('copies')", "set_name of an event": "event.set_name('uploaded')",
    "explain, idle stream": "stream.explain()",
    "timeline, signal": "timeline.signal(counter(), stream)", "timeline, wait for a submitted signal": "raised.wait(1, other)",
    "token create + wait": "gpustream.Token(stream).wait(other)",
    "buffer create + drop": "gpustream.Buffer(1 << 20, stream=stream)", "buffer fill": "one_buffer.fill_(1, stream=stream)",
    "buffer copy": "one_buffer.copy_(two_buffers[:1024], stream=stream)", "buffer slice": "two_buffers[:1024]",
    "buffers copied in one call": "gpustream.copy_batch([one_buffer], [two_buffers[:1024]], stream=stream)",
    "buffer to DLPack and back": "gpustream.from_dlpack(one_buffer, stream=stream)",
    "with task_stream": "with gpustream.task_stream(stream): pass", "with snapshot": "with snapshot: pass",
    "event create + drop": "Event()", "event with timing, create + drop": "Event(enable_timing=True)", "event create + close": "Event().close()",
    "stream create + drop": "Stream()", "stream create + close": "Stream().close()",
    "current stream": "current()", "current stream of a device": "current(0)", "current stream, accelerator": "of_accelerator()", "current raw stream": "raw_current(0)", "default stream": "default()", "per-thread stream": "gpustream.per_thread_stream()", "with stream": "with stream: pass",
    "with stream(s)": "with context(stream): pass", "with device": "with device(0): pass", "with device_of": "with device_of(stream): pass",
    "set_stream": "set_stream(other)", "unwind": "gpustream.unwind()", "set_device": "set_device(0)", "current device": "current_device()", "device count": "device_count()",
    "current stream is capturing": "capturing()", "stream is capturing": "stream.is_capturing()",
    "raw stream": "owner.cuda_stream", "stream protocol": "owner.__cuda_stream__()", "stream for ctypes": "owner._as_parameter_",
    "stream's device": "stream.device", "stream's priority": "stream.priority", "stream's flags": "stream.flags", "is it the default stream": "stream.is_default",
    "stream_id": "stream.stream_id",
    "stream's device_index": "stream.device_index", "stream's device_type": "stream.device_type", "stream handle": "stream.handle",
    "stream ==": "stream == other", "hash of a stream": "hash(stream)", "repr of a stream": "repr(owner)", "priority range": "priority_range()",
    "raw event": "shared.cuda_event", "event for ctypes": "shared._as_parameter_", "event's device": "done.device", "event_id": "done.event_id",
    "event handle": "done.handle", "repr of an event": "repr(done)", "IPC handle": "shared.ipc_handle()",
    "wrap a raw stream": "External(raw)", "get_stream_from_external": "from_external(raw)", "another library's stream": "as_stream(foreign)", "with another library's stream": "with context(foreign): pass",
    "to DLPack": "to_dlpack(owner)", "from DLPack": "from_dlpack(1)", "to __cuda_array_interface__": "to_interface(owner)",
    "from __cuda_array_interface__": "from_interface(1)",
    "lead + end": "interop.lead(other_library()).end()", "follow + end": "interop.follow(other_library()).end()",
    "with stream, leading": "with stream: pass", "current stream, following": "current()",
    "generic stream create + drop": "AnyStream()", "generic event create + drop": "AnyEvent()", "with generic stream": "with any_stream: pass",
    "repr of a generic stream": "repr(any_stream)", "repr of a generic event": "repr(any_event)",
    "device object": "Device('cuda', 0)", "device ==": "a_device == b_device", "hash of a device": "hash(a_device)",
    "repr of a device": "repr(a_device)", "device properties": "properties(0)", "device name": "name_of(0)",
    "device capability": "capability(0)", "peer access": "peers(0, last)", "free memory": "gpustream.mem_get_info(0)", "memory used": "gpustream.device_memory_used(0)",
    "allocated bytes": "allocated()", "reserved bytes": "reserved()", "statistics of memory": "stats_of_memory()",
    "allocate + free by address": "delete(allocate(4096))", "with use_mem_pool": "with use_mem_pool(mem_pool): pass",
    "stream of a part, create + drop": "part()[0].Stream()", "record, stream of a part": "part()[1].record(part()[2])",
    "utilization": "gpustream.utilization(0)", "memory usage": "gpustream.memory_usage(0)", "temperature": "gpustream.temperature(0)",
    "power": "gpustream.power_draw(0)", "clock": "gpustream.clock_rate(0)", "cuBLAS handle": "gpustream.current_blas_handle()",
    "graph replay": "captured.replay()", "graph launch": "executable.launch(stream)", "graph update": "executable.update(second)",
    "capture + instantiate": "capture()",
    "is_available": "is_available()", "is_initialized": "is_initialized()", "init, again": "init()",
    "get_arch_list": "gpustream.get_arch_list()", "get_gencode_flags": "gpustream.get_gencode_flags()",
    "is_bf16_supported": "gpustream.is_bf16_supported()", "is_tf32_supported": "gpustream.is_tf32_supported()", "get_sync_debug_mode": "gpustream.get_sync_debug_mode()",
    "set_sync_debug_mode": "gpustream.set_sync_debug_mode(0)", "cudart": "gpustream.cudart()", "check_error": "gpustream.check_error(0)",
    "ipc_collect": "gpustream.ipc_collect()",
}
