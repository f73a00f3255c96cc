# SPDX-License-Identifier: Apache-2.0
"""The CUDA backend's: the driver that it loaded."""
from __future__ import annotations

import ctypes
import os
import re
from typing import Any

import gpustream._backends as backends
from gpustream._maps import loaded_file

_NOT_SUPPORTED = 801


def _name() -> str:
    """How the library finds the driver."""
    return os.environ.get("GPUSTREAM_LIBCUDA") or "libcuda.so.1"


def _kernel_module() -> str | None:
    """NVIDIA's version number of the module in the kernel, as nvidia-smi has it; None without one."""
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
    allocator = "cudaMallocAsync"  # the driver's pools

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
                "library": loaded_file(os.path.basename(named)) or loaded_file("libcuda.so") or named}

    def profile(self, on: bool) -> int:
        function = "cuProfilerStart" if on else "cuProfilerStop"
        library = ctypes.CDLL(_name())
        return int(getattr(library, function)()) if hasattr(library, function) else _NOT_SUPPORTED
