# SPDX-License-Identifier: Apache-2.0
"""What bench/memory uses of torch and CuPy, without a GPU: allocators that take each block from the device and keep it."""
import types

FIRST_ADDRESS = 0x7F0000000000


class FakeTorch(types.ModuleType):
    """Blocks are rounded up to 512 bytes; what is freed is kept for the stream and given out again for the same size."""

    def __init__(self, backend="native", held=0):
        super().__init__("torch")
        self.__version__ = "0.fake"
        self.cuda = self
        self.memory = self
        self.entries = None
        self.live, self.kept, self.allocated, self.requested = {}, {}, [0, 0], [0, 0]
        self.reserved, self.reserved_peak, self.count = held, held, 0
        self._backend = backend

    def init(self): pass
    def synchronize(self): pass
    def get_allocator_backend(self): return self._backend
    def current_device(self): return 0
    def get_device_name(self): return "no GPU"
    def memory_reserved(self): return self.reserved
    def default_stream(self): return 0
    def Stream(self): return types.SimpleNamespace(cuda_stream=0x1000 + self.count)  # noqa: N802
    def _snapshot(self): return {"device_traces": [list(self.entries)]}

    def _record_memory_history(self, enabled, context, stacks, max_entries):
        assert (enabled, context, stacks) == ("all", None, "python") and max_entries > 0
        self.entries = []

    def _note(self, action, addr, size, stream):
        if self.entries is not None:
            self.entries.append({"action": action, "addr": addr, "size": size, "stream": stream, "time_us": 0})

    def empty_cache(self):
        self.reserved -= sum(size for (size, _), addresses in self.kept.items() for _ in addresses)
        self.kept = {}

    def reset_peak_memory_stats(self):
        self.reserved_peak = self.reserved
        for numbers in (self.allocated, self.requested):
            numbers[1] = numbers[0]

    def reset_accumulated_memory_stats(self):
        self.count = 0

    def caching_allocator_alloc(self, size, device=0, stream=0):
        assert device == 0
        raw = getattr(stream, "cuda_stream", stream)
        rounded = -(-size // 512) * 512
        kept = self.kept.get((rounded, raw))
        if kept:
            address = kept.pop()
        else:
            address = FIRST_ADDRESS + self.reserved_peak + (self.count << 20)
            self.reserved += rounded
            self.reserved_peak = max(self.reserved_peak, self.reserved)
            self._note("segment_alloc", address, rounded, raw)
        self.count += 1
        self._note("alloc", address, size, raw)
        self.live[address] = size, rounded, raw
        for numbers, more in ((self.allocated, rounded), (self.requested, size)):
            numbers[0] += more
            numbers[1] = max(numbers)
        return address

    def caching_allocator_delete(self, address, completed=True):
        size, rounded, raw = self.live.pop(address)
        self._note("free_requested", address, size, raw)
        if completed:
            self._note("free_completed", address, size, raw)
        self.kept.setdefault((rounded, raw), []).append(address)
        self.allocated[0] -= rounded
        self.requested[0] -= size

    def memory_stats(self):
        return {"reserved_bytes.all.peak": self.reserved_peak, "allocated_bytes.all.peak": self.allocated[1],
                "requested_bytes.all.peak": self.requested[1], "allocation.all.allocated": self.count, "segment.all.allocated": 0}


class FakeCupy(types.ModuleType):
    """malloc() and free() report to the hook that is entered; the pool gives nothing back."""

    def __init__(self, total=0):
        super().__init__("cupy")
        self.__version__ = "0.fake"
        self.total, self.count, self.stream, self.hook = total, 0, 0, None
        owner = self

        class MemoryHook:
            def __enter__(self):
                owner.hook = self
                return self

            def __exit__(self, *error):
                owner.hook = None

        device = types.SimpleNamespace(id=0, synchronize=lambda: None)
        self.cuda = types.SimpleNamespace(
            MemoryHook=MemoryHook, Device=lambda: device, get_current_stream=lambda: types.SimpleNamespace(ptr=self.stream),
            runtime=types.SimpleNamespace(getDeviceProperties=lambda index: {"name": b"no GPU"}))

    def get_default_memory_pool(self):
        return types.SimpleNamespace(total_bytes=lambda: self.total)

    def malloc(self, size, fails=False):
        self.count += 1
        self.total += size
        self.hook.malloc_postprocess(device_id=0, size=size, mem_size=size, mem_ptr=0 if fails else self.count, pmem_id=0 if fails else self.count)
        return self.count

    def free(self, number):
        self.hook.free_postprocess(device_id=0, mem_size=0, mem_ptr=number, pmem_id=number)
