# SPDX-License-Identifier: Apache-2.0
"""The default backend's devices and streams under torch.accelerator's names.

Programs that are written for "the accelerator, whichever it is" work with the default backend: gpustream.current_device(),
gpustream.set_stream() and the others, under the names that torch.accelerator has for them. The same functions, so they cost
the same.
"""
from __future__ import annotations

from gpustream import _later
from gpustream._backend_names import BACKENDS
from gpustream._core import (
    current_device as current_device_index, current_stream as current_stream, set_device as set_device_index, set_stream as set_stream,
    synchronize as synchronize,
)
from gpustream._devices import Device, ordinal
from gpustream._lazy import is_available as is_available
from gpustream._load import _core
from gpustream.memory import (
    empty_cache as empty_cache, max_memory_allocated as max_memory_allocated, max_memory_reserved as max_memory_reserved,
    memory_allocated as memory_allocated, memory_reserved as memory_reserved, memory_stats as memory_stats,
    reset_accumulated_memory_stats as reset_accumulated_memory_stats, reset_peak_memory_stats as reset_peak_memory_stats,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import SupportsIndex

    from gpustream._types import DeviceLike

device_count = _core.device_count
current_device_idx = current_device_index  # torch's older names
set_device_idx = set_device_index


def current_accelerator(check_available: bool = False) -> Device | None:
    """Return the default backend as a Device without an index.

    Args:
        check_available: whether to ask the backend for devices first.

    Returns:
        Device("cuda") or Device("host"); None if check_available is true and there is no device. torch says None also
        in a build for no accelerator; gpustream always has the host backend.

    Creates no context. See gs_default_backend() in gpustream.h.
    """
    if check_available and not is_available():
        return None
    return Device(BACKENDS[_core.gs_default_backend()])


class device_index(_core.DeviceGuard):  # noqa: N801: torch's name
    """device_index(device)

    Makes the device of an index current while the `with` block runs. None or a negative index: no effect.

    Raises:
        TypeError: the argument is neither an int nor None.
        gpustream.InvalidDeviceError: on entering: there is no such device.
    """

    __slots__ = ()

    def __init__(self, device: SupportsIndex | None) -> None:
        super().__init__(-1 if device is None else ordinal(device, "device"))


def get_memory_info(device: DeviceLike = None) -> tuple[int, int]:
    """Return (free, total) bytes of a device's memory, as gpustream.mem_get_info() does."""
    free, total = _later.load("_telemetry").mem_get_info(device)
    return free, total


__all__ = [
    "current_accelerator", "current_device_idx", "current_device_index", "current_stream", "device_count", "device_index",
    "get_memory_info", "is_available", "set_device_idx", "set_device_index", "set_stream", "synchronize",
    "empty_cache", "max_memory_allocated", "max_memory_reserved", "memory_allocated", "memory_reserved", "memory_stats",
    "reset_accumulated_memory_stats", "reset_peak_memory_stats",
]


def __getattr__(name: str) -> object:
    raise _later.load("_absent").error_for(__name__, name, _later.load("accelerator"))
