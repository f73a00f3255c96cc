# SPDX-License-Identifier: Apache-2.0
"""Which devices reach which, a device by its PCI address, and limits of devices."""
from __future__ import annotations

from gpustream._devices import number_or_negative, of_number, ordinal, whole_list
from gpustream._load import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import SupportsIndex

    from gpustream._devices import Device
    from gpustream._types import DeviceLike

_LIMITS: dict[str, int] = {name.removeprefix("GS_LIMIT_").lower(): getattr(_core, name) for name in dir(_core) if name.startswith("GS_LIMIT_")}


def get_peers(device: DeviceLike = None) -> list[Device]:
    """Return the devices (a list of Device) whose memory kernels on a device can access directly. Enables nothing.

    Raises gpustream.InvalidDeviceError: there is no such device. See gs_device_peers() in gpustream.h.
    """
    _core.start()
    return [of_number(peer) for peer in whole_list(_core.gs_device_peers, number_or_negative(device))]


def device_from_pci(address: str) -> Device:
    """Return the Device that has a PCI address, such as "0000:3b:00.0" or "3b:00".

    Raises:
        gpustream.InvalidDeviceError: this process can use no device of that address; the host backend's have none.
        gpustream.InvalidArgumentError: it is no PCI address.
        TypeError: it is no str.
    """
    _core.start()
    return of_number(_core.gs_device_from_pci(address))


def get_device_limit(limit: str, device: DeviceLike = None) -> int:
    """Return a limit of a device (int), which holds for all kernels of the process there.

    Args:
        limit: "stack_size", "printf_fifo_size", "malloc_heap_size", "max_l2_fetch_granularity", "persisting_l2_cache_size" (bytes),
            "dev_runtime_sync_depth" or "dev_runtime_pending_launch_count".
        device: a device; None or any negative number: the current one.

    Raises:
        gpustream.InvalidDeviceError: there is no such device.
        gpustream.NotSupportedError: the device has no such limit, as those of the host backend.
        ValueError: limit is no name of one.
    """
    _core.start()
    return _core.gs_device_get_limit(number_or_negative(device), _number(limit))


def set_device_limit(limit: str, value: SupportsIndex, device: DeviceLike = None) -> None:
    """Set a limit of a device, for all code in the process. The driver may round it; get_device_limit() returns what holds.

    Args:
        limit: as for get_device_limit().
        value: the limit, an int.
        device: a device; None or any negative number: the current one.

    Raises:
        gpustream.InvalidArgumentError: the driver refuses the value.
        OverflowError, TypeError: value is out of range, or no int.
        The exceptions of get_device_limit().

    Blocks while the driver waits for kernels that use what the limit is about.
    """
    _core.start()
    _core.gs_device_set_limit(number_or_negative(device), _number(limit), ordinal(value, "value"))


def reset_device(device: DeviceLike = None) -> None:
    """Reset a device: destroy its primary context, with all that any code in the process has created in it.

    For gpustream the device is gone permanently: each later use of it or of its objects raises gpustream.ContextLostError, on every
    thread. A device that has no context yet is left as it is. Other libraries must not use what they have of the device at
    the same time or later.

    Args:
        device: a device; None or any negative number: the current one.

    Raises:
        gpustream.ContextLostError: it was reset before, or another thread is resetting it.
        gpustream.CapturingError: one of its streams is being captured.
        gpustream.InvalidDeviceError: an AssertionError; there is no such device.

    Blocks until the device's work is done and other threads' calls on its objects have returned.
    """
    _core.start()
    _core.gs_device_reset(number_or_negative(device))


def _number(limit: str) -> int:
    try:
        return _LIMITS[limit]
    except (KeyError, TypeError):
        raise ValueError(f"argument 'limit' must be one of {', '.join(map(repr, _LIMITS))}, not {limit!r}") from None
