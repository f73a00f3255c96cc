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


class _Allocator:
    """As torch calls it: by addresses, and without a look at the result of either."""

    def __init__(self, file, malloc, free):
        library = ctypes.CDLL(file)
        self.malloc = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p)((malloc, library))
        self.free = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p)((free, library))


class _Tensor:
    allocator = None

    def __init__(self, size, device):
        assert device == "cuda"
        self._size, self._stream = size, _library.fake_torch_stream(0)
        self._pointer = _Tensor.allocator.malloc(size, 0, self._stream)

    def data_ptr(self):
        return self._pointer or 0

    def __del__(self):
        if self._pointer:
            _Tensor.allocator.free(self._pointer, self._size, 0, self._stream)


def _change_current_allocator(allocator):
    if _Tensor.allocator:
        raise RuntimeError("Can't swap an already initialized allocator")
    _Tensor.allocator = allocator


uint8 = "uint8"
cuda.memory = types.SimpleNamespace(CUDAPluggableAllocator=_Allocator, change_current_allocator=_change_current_allocator)


def empty(size, dtype, device):
    assert dtype == uint8
    return _Tensor(size, device)
