# SPDX-License-Identifier: Apache-2.0
import types

import foreign
from support import fake_cupy


class _Stream(fake_cupy.Stream):
    def __init__(self, non_blocking):
        assert non_blocking
        super().__init__(foreign.new_stream(), 0)

    def __cuda_stream__(self):
        return 0, self.ptr


_Stream.null = fake_cupy.Stream.null


class _Event:
    done = False

    def __init__(self, disable_timing):
        assert disable_timing
        self.ptr = foreign.new_event()

    def record(self):
        foreign.record(self.ptr, fake_cupy.get_current_stream().ptr)


cuda = types.SimpleNamespace(**{**vars(fake_cupy.cuda), "Stream": _Stream, "Event": _Event})


class _Memory:
    def __init__(self, size, malloc, free):
        self.ptr, self.free = 0, free
        self.ptr = malloc(size, 0) if size else 0

    def __del__(self):
        if self.ptr:
            self.free(self.ptr, 0)


class _PythonFunctionAllocator:
    def __init__(self, malloc, free):
        self.functions = malloc, free

    def malloc(self, size):
        return _Memory(size, *self.functions)


def _set_allocator(allocator):
    cuda.alloc = allocator


_own = foreign.Memory()


def _alloc(size):
    return _Memory(size, lambda size, _: _own.allocate(size), lambda address, _: _own.free(address, size))


def get_default_memory_pool():
    return types.SimpleNamespace(total_bytes=lambda: _own.reserved)


cuda.PythonFunctionAllocator, cuda.set_allocator, cuda.alloc = _PythonFunctionAllocator, _set_allocator, _alloc
