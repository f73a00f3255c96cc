# SPDX-License-Identifier: Apache-2.0
"""What only one backend has, in a module with the backend's name. A backend without a module has the defaults below.

Nothing else in the package names a backend (tests/abi/check_layers.py).
"""
from __future__ import annotations

import functools
import importlib
import importlib.util
from typing import Any

from gpustream._backend_names import BACKENDS


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
    # What texts about memory call the backend and one of its devices, and torch's word for where the memory comes from.
    title = "GPU"
    device_word = "GPU"
    allocator = "native"

    def driver(self) -> dict[str, Any] | None:
        """The driver that this process has loaded: "name", "version", "kernel_module", "library"; None if none."""
        return None

    def profile(self, on: bool) -> int:
        """Starts or stops collecting in an attached profiler; returns a code of the CUDA runtime, 0 for success."""
        return 0


@functools.cache
def special(number: int) -> Special:
    """That of a backend, by its number (GS_BACKEND_*)."""
    name = f"{__name__}.{BACKENDS.get(number, 'none')}"
    if importlib.util.find_spec(name) is None:
        return Special()
    found = importlib.import_module(name).Special()
    assert isinstance(found, Special)
    return found
