# SPDX-License-Identifier: Apache-2.0
"""One pool for several libraries (gpustream.interop.share_pool()).

PyTorch takes the C functions. CuPy's C functions name no stream and CuPy does not look whether they return NULL, and RMM takes
Python functions only: these two get Python functions, which raise MemoryError.
"""
from __future__ import annotations

import ctypes
import importlib

from gpustream import _later
from gpustream._load import _core
from gpustream._memory_pools import MemPool
from gpustream.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def share(library: str, pool: MemPool | None) -> None:
    if pool is not None and not isinstance(pool, MemPool):
        raise TypeError(f"share_pool(): argument 'pool' must be MemPool or None, not {type(pool).__name__}")
    install = _INSTALL.get(library)
    if install is None:
        raise fail(_core.GS_ERROR_INVALID_ARGUMENT, f"share_pool(): library must be one of {', '.join(_INSTALL)}, not {library!r}")
    _core.start()
    if not _later.load("_backends").special(_core.gs_default_backend()).has_dlpack_streams:
        raise fail(_core.GS_ERROR_NOT_SUPPORTED, f"share_pool(): {library} allocates on CUDA devices, which are not the default backend's")
    install(importlib.import_module(library))
    if pool is not None:
        for device in range(_core.device_count()):
            _core.gs_allocator_set_pool(pool._begin(device))  # which keeps a reference
            pool._end()


def _allocate(size: int, device: int, native: int) -> int:
    address: int = _core.gs_allocator_malloc(size, device, native)
    if not address and size:
        failure = _core.gs_last_error()
        if failure["status"] == _core.GS_ERROR_OUT_OF_MEMORY:
            raise MemoryError(failure["message"])
        raise fail(failure["status"], failure["message"])
    return address


def _into_torch(torch: Any) -> None:
    memory = torch.cuda.memory
    file = _later.load("_build").get_library()
    allocator = memory.CUDAPluggableAllocator(file, "gs_allocator_malloc", "gs_allocator_free")
    record_stream = ctypes.cast(ctypes.CDLL(file).gs_allocator_record_stream, ctypes.c_void_p).value
    allocator.allocator().set_record_stream_fn(record_stream)
    memory.change_current_allocator(allocator)


def _into_cupy(cupy: Any) -> None:
    streams: dict[int, Any] = {}  # by address, so that each lives until the memory is freed in it

    def allocate(size: int, device: int) -> int:
        stream = cupy.cuda.get_current_stream()
        address = _allocate(size, device, stream.ptr)
        streams[address] = stream
        return address

    def free(address: int, device: int) -> None:
        _core.gs_allocator_free(address, 0, device, streams.pop(address).ptr)

    cupy.cuda.set_allocator(cupy.cuda.PythonFunctionAllocator(allocate, free).malloc)


def _into_rmm(rmm: Any) -> None:
    number_of = _later.load("interop")._number_of
    device = _core.current_device()

    def allocate(size: int, stream: Any) -> int:
        return _allocate(size, device, number_of(stream, "stream"))

    def free(address: int, size: int, stream: Any) -> None:
        _core.gs_allocator_free(address, size, device, number_of(stream, "stream"))

    importlib.import_module("rmm.mr").set_current_device_resource(rmm.mr.CallbackMemoryResource(allocate, free))


_INSTALL: dict[str, Callable[[Any], None]] = {"torch": _into_torch, "cupy": _into_cupy, "rmm": _into_rmm}
