# SPDX-License-Identifier: Apache-2.0
"""The CUDA backend's: the driver that it loaded."""
from __future__ import annotations

import ctypes
import os
import re
from typing import Any

import gpustream._backends as backends
from gpustream._backends import cublas
from gpustream._load import _core


def _name() -> str:
    """How the library finds the driver."""
    return os.environ.get("GPUSTREAM_LIBCUDA") or "libcuda.so.1"


def _kernel_module() -> str | None:
    """NVIDIA's version number of the module in the kernel, as nvidia-smi has it; None if the module is missing."""
    try:
        with open("/proc/driver/nvidia/version", encoding="utf-8") as file:
            found = re.search(r"\b\d{3,}\.\d+(\.\d+)?\b", file.readline())
    except OSError:
        return None
    return found.group() if found else None


class Special(backends.Special):
    dlpack_device, dlpack_pinned = 2, 3
    has_cuda_arrays = True
    title = "CUDA"
    operation = "CUDA operation"
    bad_fork = "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the 'spawn' start method"
    allocator = "cudaMallocAsync"  # the driver's pools
    kernels_for = 50

    def driver(self) -> dict[str, Any] | None:
        named = _name()
        try:
            library, version = ctypes.CDLL(named, mode=os.RTLD_NOLOAD), ctypes.c_int()
        except OSError:
            return None
        if library.cuDriverGetVersion(ctypes.byref(version)) != 0:
            return None
        return {"name": "CUDA", "version": f"{version.value // 1000}.{version.value % 1000 // 10}",
                "kernel_module": _kernel_module(),
                "library": backends.loaded_file(os.path.basename(named)) or backends.loaded_file("libcuda.so") or named}

    def blas_handle(self, stream: object) -> int:
        return cublas.handle_for(stream, ctypes.CDLL(_name()), _context(stream), _core.GS_BACKEND_CUDA)

    def host_register(self, address: int, size: int, flags: int) -> int:
        return _in_context("cuMemHostRegister_v2", ctypes.c_void_p(address), ctypes.c_size_t(size), ctypes.c_uint(flags))

    def host_unregister(self, address: int) -> int:
        return _in_context("cuMemHostUnregister", ctypes.c_void_p(address))


def _context(stream: object) -> int:
    """The primary context of the current device, whose stream this is. It is created if there is none."""
    context: int = _core.gs_stream_context(stream)
    if context == 0:
        _core.gs_free_host(_core.gs_malloc_host(1))  # which creates it
        context = _core.gs_stream_context(stream)
    return context


def _in_context(function: str, *arguments: object) -> int:
    """A call of the driver with the primary context of the current device."""
    library = ctypes.CDLL(_name())
    result = int(library.cuCtxPushCurrent_v2(ctypes.c_void_p(_context(_core.current_stream()))))
    if result == 0:
        result = int(getattr(library, function)(*arguments))
        library.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
    return result
