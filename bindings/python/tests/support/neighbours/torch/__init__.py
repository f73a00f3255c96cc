# SPDX-License-Identifier: Apache-2.0
import contextlib
import ctypes
import subprocess
import tempfile
import types
from pathlib import Path

import foreign

_SOURCE = Path(__file__).parents[6] / "tests/support/fake_bridges/fake_torch.c"
_folder = tempfile.TemporaryDirectory()
_file = Path(_folder.name, "libtorch_cuda.so")
subprocess.run(["cc", "-shared", "-fPIC", "-w", "-DAGE=2", "-Wl,-soname,libtorch_cuda.so", str(_SOURCE), "-o", str(_file)], check=True)
_library = ctypes.CDLL(str(_file))
_library.fake_torch_stream.restype = ctypes.c_void_p


class _Stream:
    def __init__(self, number=None):
        self.cuda_stream = foreign.new_stream() if number is None else number
        self.device = types.SimpleNamespace(type="cuda", index=0)

    def __cuda_stream__(self):
        return 0, self.cuda_stream


class _Event:
    cuda_event = 0
    device = types.SimpleNamespace(type="cuda", index=0)

    def record(self, stream):
        self.cuda_event = self.cuda_event or foreign.new_event()
        foreign.record(self.cuda_event, stream.cuda_stream)


@contextlib.contextmanager
def _stream(stream):
    before = _library.fake_torch_stream(0)
    _library.fake_torch_use(0, ctypes.c_void_p(stream.cuda_stream))
    yield
    _library.fake_torch_use(0, ctypes.c_void_p(before))


cuda = types.SimpleNamespace(
    init=lambda: None, Stream=_Stream, Event=_Event, stream=_stream, current_stream=lambda: _Stream(_library.fake_torch_stream(0) or 0))


class _Pluggable:
    """As torch calls it: by addresses, and without a look at the result of either."""

    def __init__(self, file, malloc, free):
        library = ctypes.CDLL(file)
        self._malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p)((malloc, library))
        self._free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p)((free, library))

    def allocator(self):
        return self

    def set_record_stream_fn(self, address):
        self.record_stream = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(address)

    def allocate(self, size, stream):
        return self._malloc(size, 0, stream) or 0

    def free(self, address, size, stream):
        self._free(address, size, 0, stream)


_native = foreign.Memory()
_allocator, _live = _native, {}


def _alloc(size, device, stream):
    assert device == 0
    address = _allocator.allocate(size, stream)
    _live[address] = size, stream
    return address


def _delete(address):
    if address:
        _allocator.free(address, *_live.pop(address))


def _change_current_allocator(allocator):
    global _allocator
    if _live or _allocator is not _native:
        raise RuntimeError("Can't swap an already initialized allocator")
    _allocator = allocator


class _Tensor:
    def __init__(self, size, device):
        assert device == "cuda"
        self._pointer = _alloc(size, 0, _library.fake_torch_stream(0))

    def data_ptr(self):
        return self._pointer

    def record_stream(self, stream):
        _allocator.record_stream(self._pointer, stream.cuda_stream)

    def __del__(self):
        _delete(self._pointer)


uint8 = "uint8"
cuda.memory = types.SimpleNamespace(CUDAPluggableAllocator=_Pluggable, change_current_allocator=_change_current_allocator)
cuda.caching_allocator_alloc, cuda.caching_allocator_delete = _alloc, _delete
cuda.memory_stats = lambda: {"reserved_bytes.all.peak": _native.reserved}


def empty(size, dtype, device):
    assert dtype == uint8
    return _Tensor(size, device)
