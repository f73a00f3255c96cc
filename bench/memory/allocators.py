# SPDX-License-Identifier: Apache-2.0
"""What a trace is replayed on. Each allocator is used for one trace after the other and begins each without memory."""
import ctypes as c
import json
import os
from pathlib import Path

API = Path(__file__).resolve().parents[2] / "api" / "gpustream.json"
FILL = 0xA5


def _struct(name):
    """A ctypes class for a struct of the header."""
    kinds = {"uint32_t": c.c_uint32, "uint64_t": c.c_uint64}
    found = next(struct for struct in json.loads(API.read_text(encoding="utf-8"))["structs"] if struct["name"] == name)
    made = type(name, (c.Structure,), {"_fields_": [(field["name"], kinds[field["type"]]) for field in found["fields"]]})
    if c.sizeof(made) != found["size"]:
        raise RuntimeError(f"{name} has {c.sizeof(made)} bytes, and {found['size']} in C")
    return made


class DriverStreams:
    """Streams that the driver makes on its first device. gpustream keeps no memory for them, since others may destroy them."""

    def __init__(self):
        self._cuda = c.CDLL(os.environ.get("GPUSTREAM_LIBCUDA", "libcuda.so.1"))
        self._streams, context = [], c.c_void_p()
        self._call("cuInit", 0)
        self._call("cuDevicePrimaryCtxRetain", c.byref(context), 0)
        self._call("cuCtxSetCurrent", context)

    def _call(self, name, *arguments):
        code = getattr(self._cuda, name)(*arguments)
        if code != 0:
            raise RuntimeError(f"{name}: error {code} of the driver")

    def create(self, count):
        self._streams = [c.c_void_p() for _ in range(count)]
        for stream in self._streams:
            self._call("cuStreamCreate", c.byref(stream), 1)  # CU_STREAM_NON_BLOCKING
        return self._streams

    def fill(self, address, size, stream):
        self._call("cuMemsetD8Async", c.c_uint64(address), c.c_ubyte(FILL), c.c_size_t(size), stream)

    def synchronize(self):
        self._call("cuCtxSynchronize")

    def destroy(self):
        for stream in self._streams:
            self._call("cuStreamDestroy_v2", stream)


class Gpustream:
    """A pool of gpustream's on the current device, through the C library that GPUSTREAM_LIBRARY names."""

    name = "gpustream"

    def __init__(self, fill=False, uncached=False):
        self._driver = DriverStreams() if uncached else None
        self._library = c.CDLL(os.environ.get("GPUSTREAM_LIBRARY", "libgpustream.so.0"))
        self._stats_type = _struct("gs_pool_stats_t")
        self._fill = fill
        self._pool, self._streams = None, []
        handle, handle_out = c.c_void_p, c.POINTER(c.c_void_p)
        for name, types in {
            "pool_create": [c.c_int32, c.c_void_p, handle_out], "pool_destroy": [handle], "pool_trim": [handle, c.c_uint64],
            "pool_malloc": [handle, c.c_size_t, handle, handle_out], "free_async": [c.c_void_p, handle],
            "pool_get_stats": [handle, c.POINTER(self._stats_type)], "memset_async": [c.c_void_p, c.c_int32, c.c_size_t, handle],
            "stream_create": [c.c_int32, c.c_int32, c.c_uint32, handle_out], "stream_destroy": [handle],
            "stream_synchronize": [handle], "default_stream": [c.c_int32, handle_out], "stream_from_native": [c.c_int32, handle, handle_out],
        }.items():
            function = getattr(self._library, "gs_" + name)
            function.argtypes, function.restype = types, c.c_int32
        self._library.gs_status_name.restype = c.c_char_p

    def _call(self, name, *arguments):
        status = getattr(self._library, "gs_" + name)(*arguments)
        if status != 0:
            raise RuntimeError(f"gs_{name}: {self._library.gs_status_name(status).decode()}")

    def _out(self, name, *arguments):
        place = c.c_void_p()
        self._call(name, *arguments, c.byref(place))
        return place.value

    def begin(self, streams):
        self._pool = self._out("pool_create", -1, None)
        if self._driver:
            self._streams = [self._out("stream_from_native", 0, native) for native in self._driver.create(streams)]
            return
        self._streams = [self._out("default_stream", -1)]
        self._streams += [self._out("stream_create", -1, 0, 0) for _ in range(streams - 1)]

    def allocate(self, size, stream):
        pointer = self._out("pool_malloc", self._pool, size, self._streams[stream])
        if self._fill:
            self._call("memset_async", pointer, FILL, size, self._streams[stream])
        return pointer

    def free(self, pointer, stream):
        self._call("free_async", pointer, self._streams[stream])

    def peaks(self):
        stats = self._stats_type(struct_size=c.sizeof(self._stats_type))
        self._call("pool_get_stats", self._pool, c.byref(stats))
        return {"reserved": stats.reserved_peak_bytes, "allocated": stats.allocated_peak_bytes, "requested": stats.requested_peak_bytes,
                "allocations": stats.allocations, "hits": stats.cache_hits, "driver": stats.segment_allocations}

    def end(self):
        for stream in self._streams:
            self._call("stream_synchronize", stream)
        self._call("pool_trim", self._pool, 0)
        for stream in self._streams if self._driver else self._streams[1:]:
            self._call("stream_destroy", stream)
        self._call("pool_destroy", self._pool)
        if self._driver:
            self._driver.destroy()


class Torch:
    """PyTorch's own allocator of the current CUDA device."""

    name = "torch"

    def __init__(self, torch):
        torch.cuda.init()
        backend = torch.cuda.get_allocator_backend()
        if backend != "native":
            raise RuntimeError(f"torch's allocator is {backend}, not its own")
        self._cuda = torch.cuda
        self._device = torch.cuda.current_device()
        self._streams = []

    def begin(self, streams):
        self._cuda.empty_cache()
        self._cuda.reset_peak_memory_stats()
        if self._cuda.memory_reserved() != 0:
            raise RuntimeError("torch has memory before the replay")
        self._streams = [self._cuda.default_stream()] + [self._cuda.Stream() for _ in range(streams - 1)]

    def allocate(self, size, stream):
        return self._cuda.caching_allocator_alloc(size, self._device, self._streams[stream])

    def free(self, pointer, stream):
        del stream  # the allocator knows it
        self._cuda.caching_allocator_delete(pointer)

    def peaks(self):
        stats = self._cuda.memory_stats()
        return {"reserved": stats["reserved_bytes.all.peak"], "allocated": stats["allocated_bytes.all.peak"],
                "requested": stats["requested_bytes.all.peak"], "allocations": stats["allocation.all.allocated"],
                "driver": stats["segment.all.allocated"]}

    def end(self):
        self._cuda.synchronize()
        self._streams = []
        self._cuda.reset_accumulated_memory_stats()


def replay(trace, allocator):
    """Runs a trace and returns the allocator's peaks."""
    allocator.begin(trace.streams())
    live, count = {}, 0
    for event in trace.events:
        if isinstance(event, tuple):
            live[count] = allocator.allocate(*event), event[1]
            count += 1
        else:
            allocator.free(*live.pop(event))
    peaks = allocator.peaks()
    for place in live.values():
        allocator.free(*place)
    allocator.end()
    return peaks
