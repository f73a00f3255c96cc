# SPDX-License-Identifier: Apache-2.0
"""What only one backend has, in a module with the backend's name. A backend without a module has the defaults below.

Nothing else in the package names a backend (tests/abi/check_layers.py).
"""
from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import threading
from typing import Any

from gpustream._backend_names import BACKENDS
from gpustream._load import _core
from gpustream.errors import fail

# Codes of the CUDA runtime.
INVALID_VALUE, ALREADY_REGISTERED, NOT_REGISTERED = 1, 712, 713

_lock = threading.Lock()
_registered: dict[int, int] = {}  # bytes by address, of backends whose devices use any memory


class Special:
    """The defaults; a module's own class is called Special too and derives from this one."""

    # Whether the stream argument of __dlpack__() has a meaning for this kind of device.
    has_dlpack_streams = True
    # DLPack's types of the devices, and of memory that is page-locked for them. 12 is one that it leaves to extensions.
    dlpack_device, dlpack_pinned = 12, 12
    # Whether __cuda_array_interface__ is for memory of these devices.
    has_cuda_arrays = False
    # Whether a launch of a kernel copies all values of its arguments.
    copies_arguments = True

    # Whether the driver keeps the processor busy while it waits for most work.
    spins = True
    # What warnings and errors about waiting, and about forks, call the driver's calls: torch's words, where the backend is torch's.
    operation = "operation"
    bad_fork: str | None = None
    # What texts about memory call the backend and one of its devices, and torch's word for where the memory comes from.
    title = "GPU"
    device_word = "GPU"
    allocator = "native"
    # The compute capability, 10 * major + minor, that the PTX of the library's own kernels is for; 0: it brings none.
    kernels_for = 0

    def driver(self) -> dict[str, Any] | None:
        """The driver that this process has loaded: "name", "version", "kernel_module", "library"; None before it loads one."""
        return None

    def blas_handle(self, stream: object) -> int:
        """A cuBLAS handle for this thread that works in a stream of the current device."""
        del stream
        raise fail(_core.GS_ERROR_NOT_SUPPORTED, f"no cuBLAS: the {self.title.lower()} backend has none")

    def host_register(self, address: int, size: int, flags: int) -> int:
        """Page-locks memory of the host for the devices; returns a code of the CUDA runtime. By default nothing has to be done."""
        del flags
        if address == 0 or size == 0:
            return INVALID_VALUE
        with _lock:
            if any(first < address + size and address < first + length for first, length in _registered.items()):
                return ALREADY_REGISTERED
            _registered[address] = size
        return 0

    def host_unregister(self, address: int) -> int:
        """Ends it; returns a code of the CUDA runtime."""
        with _lock:
            return 0 if _registered.pop(address, None) is not None else NOT_REGISTERED


@functools.cache
def special(number: int) -> Special:
    """That of a backend, by its number (GS_BACKEND_*)."""
    name = f"{__name__}.{BACKENDS.get(number, 'none')}"
    if importlib.util.find_spec(name) is None:
        return Special()
    found = importlib.import_module(name).Special()
    assert isinstance(found, Special)
    return found


def spins(number: int) -> bool:
    """Hook: whether a backend's driver keeps the processor busy while it waits."""
    return special(number).spins


def loaded_file(name: str) -> str | None:
    """The file of a library that this process has loaded, by a part of its name; else None."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        files = (line.split(None, 5)[5].strip() for line in maps if line.count(" ") > 5 and "/" in line)
        return next((file for file in files if name in os.path.basename(file)), None)
