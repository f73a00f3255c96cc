# SPDX-License-Identifier: Apache-2.0
"""PyTorch's statements for the rows of calls.py."""

SETUP = """
import torch
torch.cuda.init()
stream, other, long = torch.cuda.Stream(), torch.cuda.Stream(), torch.cuda.Stream()
event, done, pending, shared = torch.cuda.Event(), torch.cuda.Event(), torch.cuda.Event(), torch.cuda.Event(interprocess=True)
Event, Stream, current, within = torch.cuda.Event, torch.cuda.Stream, torch.cuda.current_stream, torch.cuda.stream
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
for one in (event, done, start, end, shared): one.record(stream)
stream.synchronize()
raw, tensor, last = torch.cuda.Stream().cuda_stream, torch.empty(1, device="cuda"), torch.cuda.device_count() - 1
a_device, b_device = torch.device("cuda", 0), torch.device("cuda", 0)
if hasattr(torch, "Stream"): any_stream, any_event = torch.Stream(device="cuda"), torch.Event(device="cuda")
def hold():
    with torch.cuda.stream(long): torch.cuda._sleep(CYCLES)
    pending.record(long)
small, captured = torch.zeros(64, dtype=torch.uint8, device="cuda"), torch.cuda.CUDAGraph()
with torch.cuda.graph(captured): small.zero_()
mem_pool = torch.cuda.MemPool() if hasattr(torch.cuda, "use_mem_pool") else None
def capture():
    with torch.cuda.graph(torch.cuda.CUDAGraph(), stream=stream): small.zero_()
def reset():
    torch.cuda.set_stream(torch.cuda.default_stream())
    torch.cuda.synchronize()
"""

STATEMENTS = {
    "record": "event.record(stream)", "record, current stream": "event.record()", "record_event, new event": "stream.record_event()",
    "wait, pending event": "pending.wait(other)", "wait, complete event": "done.wait(other)", "wait, same stream": "event.wait(stream)",
    "wait_stream": "other.wait_stream(stream)", "query, complete event": "done.query()", "query, idle stream": "stream.query()",
    "synchronize, complete event": "done.synchronize()", "synchronize, idle stream": "stream.synchronize()",
    "synchronize, idle device": "torch.cuda.synchronize()", "elapsed": "start.elapsed_time(end)",
    "event create + drop": "Event()", "event with timing, create + drop": "Event(enable_timing=True)", "stream create + drop": "Stream()",
    "buffer create + drop": "torch.empty(1 << 20, dtype=torch.uint8, device='cuda')",
    "current stream": "current()", "current stream of a device": "current(0)", "current stream, accelerator": "torch.accelerator.current_stream()", "current raw stream": "torch._C._cuda_getCurrentRawStream(0)", "default stream": "torch.cuda.default_stream()",
    "with stream(s)": "with within(stream): pass", "with device": "with torch.cuda.device(0): pass",
    "with device_of": "with torch.cuda.device_of(tensor): pass", "set_stream": "torch.cuda.set_stream(other)",
    "set_device": "torch.cuda.set_device(0)", "current device": "torch.cuda.current_device()", "device count": "torch.cuda.device_count()",
    "current stream is capturing": "torch.cuda.is_current_stream_capturing()",
    "raw stream": "stream.cuda_stream", "stream protocol": "stream.__cuda_stream__()", "stream for ctypes": "stream._as_parameter_",
    "stream's device": "stream.device", "stream's priority": "stream.priority",
    "stream_id": "stream.stream_id", "stream's device_index": "stream.device_index", "stream's device_type": "stream.device_type",
    "stream ==": "stream == other", "hash of a stream": "hash(stream)", "repr of a stream": "repr(stream)",
    "priority range": "torch.cuda.Stream.priority_range()", "raw event": "done.cuda_event", "event for ctypes": "done._as_parameter_",
    "event's device": "done.device", "event_id": "any_event.event_id",
    "repr of an event": "repr(done)", "IPC handle": "shared.ipc_handle()",
    "wrap a raw stream": "torch.cuda.ExternalStream(raw)", "get_stream_from_external": "torch.cuda.get_stream_from_external(raw)",
    "generic stream create + drop": "torch.Stream(device='cuda')", "generic event create + drop": "torch.Event(device='cuda')",
    "with generic stream": "with any_stream: pass", "repr of a generic stream": "repr(any_stream)", "repr of a generic event": "repr(any_event)",
    "device object": "torch.device('cuda', 0)", "device ==": "a_device == b_device", "hash of a device": "hash(a_device)",
    "repr of a device": "repr(a_device)", "device properties": "torch.cuda.get_device_properties(0)", "device name": "torch.cuda.get_device_name(0)",
    "device capability": "torch.cuda.get_device_capability(0)", "peer access": "torch.cuda.can_device_access_peer(0, last)",
    "free memory": "torch.cuda.mem_get_info(0)", "utilization": "torch.cuda.utilization(0)", "memory usage": "torch.cuda.memory_usage(0)",
    "allocated bytes": "torch.cuda.memory_allocated()", "reserved bytes": "torch.cuda.memory_reserved()",
    "statistics of memory": "torch.cuda.memory_stats()",
    "allocate + free by address": "torch.cuda.caching_allocator_delete(torch.cuda.caching_allocator_alloc(4096))",
    "with use_mem_pool": "with torch.cuda.use_mem_pool(mem_pool): pass",
    "temperature": "torch.cuda.temperature(0)", "power": "torch.cuda.power_draw(0)", "clock": "torch.cuda.clock_rate(0)",
    "cuBLAS handle": "torch.cuda.current_blas_handle()", "is_available": "torch.cuda.is_available()",
    "graph replay": "captured.replay()", "capture + instantiate": "capture()",
    "is_initialized": "torch.cuda.is_initialized()", "init, again": "torch.cuda.init()", "get_arch_list": "torch.cuda.get_arch_list()",
    "get_gencode_flags": "torch.cuda.get_gencode_flags()", "is_bf16_supported": "torch.cuda.is_bf16_supported()",
    "get_sync_debug_mode": "torch.cuda.get_sync_debug_mode()", "set_sync_debug_mode": "torch.cuda.set_sync_debug_mode(0)",
    "cudart": "torch.cuda.cudart()", "check_error": "torch.cuda.check_error(0)", "ipc_collect": "torch.cuda.ipc_collect()",
}
