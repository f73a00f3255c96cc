# SPDX-License-Identifier: Apache-2.0
"""What devices are: count, names, properties."""
from __future__ import annotations

from gpustream._devices import NO_DEVICE, number_or_negative, required
from gpustream._load import _core
from gpustream.errors import InvalidDeviceError, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from gpustream._types import DeviceLike, NamedDevice


def _existing(device: DeviceLike, text: str = "Invalid device id", number_of: Callable[[Any, str], int] = number_or_negative,
              name: str = "device") -> int:
    """The number of a device that must exist."""
    try:
        number = number_of(device, name)
    except InvalidDeviceError:
        number = -1
    _core.start()
    if number < 0 or number == NO_DEVICE or (number < 65536 and number >= _core.device_count()):
        raise fail(_core.GS_ERROR_INVALID_DEVICE, text)
    return number


class DeviceProperties:
    """The properties of a device, under torch's names. What a backend or driver does not report is 0 or "".

    name, major, minor (compute capability; 0.0 on host), total_memory (bytes), multi_processor_count, uuid (8-4-4-4-12
    hex digits), pci_bus_id, pci_device_id, pci_domain_id, is_integrated, is_multi_gpu_board, warp_size,
    max_threads_per_block, max_threads_per_multi_processor, regs_per_multiprocessor, shared_memory_per_block,
    shared_memory_per_block_optin, shared_memory_per_multiprocessor (bytes), L2_cache_size (bytes), clock_rate,
    memory_clock_rate (kHz), memory_bus_width (bits), compute_mode, ecc_enabled, is_mig.
    """

    _FIELDS = {
        "name": "name", "major": "capability_major", "minor": "capability_minor", "total_memory": "total_memory_bytes",
        "multi_processor_count": "multiprocessor_count", "pci_bus_id": "pci_bus", "pci_device_id": "pci_device",
        "pci_domain_id": "pci_domain", "is_integrated": "integrated", "warp_size": "warp_size",
        "max_threads_per_block": "max_threads_per_block",
        "max_threads_per_multi_processor": "max_threads_per_multiprocessor",
        "regs_per_multiprocessor": "regs_per_multiprocessor", "shared_memory_per_block": "shared_memory_per_block_bytes",
        "shared_memory_per_block_optin": "shared_memory_per_block_optin_bytes",
        "shared_memory_per_multiprocessor": "shared_memory_per_multiprocessor_bytes", "L2_cache_size": "l2_cache_bytes",
        "clock_rate": "clock_khz", "memory_clock_rate": "memory_clock_khz", "memory_bus_width": "memory_bus_width_bits",
        "compute_mode": "compute_mode", "ecc_enabled": "ecc_enabled", "is_mig": "is_mig",
    }
    __slots__ = (*_FIELDS, "uuid", "is_multi_gpu_board")

    name: str
    major: int
    minor: int
    total_memory: int
    multi_processor_count: int
    uuid: str
    pci_bus_id: int
    pci_device_id: int
    pci_domain_id: int
    is_integrated: int
    is_multi_gpu_board: int
    warp_size: int
    max_threads_per_block: int
    max_threads_per_multi_processor: int
    regs_per_multiprocessor: int
    shared_memory_per_block: int
    shared_memory_per_block_optin: int
    shared_memory_per_multiprocessor: int
    L2_cache_size: int
    clock_rate: int
    memory_clock_rate: int
    memory_bus_width: int
    compute_mode: int
    ecc_enabled: int
    is_mig: int

    def __init__(self, info: dict[str, Any]) -> None:
        digits = info["uuid"].hex()
        groups = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
        values = {name: info[field] for name, field in self._FIELDS.items()}
        values.update(uuid="-".join(groups) if info["has_uuid"] else "", is_multi_gpu_board=0)
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"the properties of a device are read-only: '{name}' cannot be set")

    def __setstate__(self, state: tuple[None, dict[str, Any]]) -> None:
        """Of a copy, also one that was pickled."""
        for name, value in state[1].items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return (f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
                f"total_memory={self.total_memory >> 20}MB, multi_processor_count={self.multi_processor_count}, "
                f"uuid={self.uuid}, L2_cache_size={self.L2_cache_size >> 20}MB)")


_CudaDeviceProperties = DeviceProperties  # torch.cuda's name of the type, for isinstance() and annotations

_known: dict[int, DeviceProperties] = {}  # they do not change while the process runs


def get_device_properties(device: DeviceLike = None) -> DeviceProperties:
    """The properties of a device (DeviceProperties); None: the current one. Creates no context.

    They are asked for once in a process: all callers get one object.

    Raises gpustream.InvalidDeviceError, an AssertionError: there is no such device, or the number is negative.
    """
    number = _existing(device)
    found = _known.get(number)
    if found is None:
        found = _known.setdefault(number, DeviceProperties(_core.gs_device_get_info(number)))
    return found


def get_device_name(device: DeviceLike = None) -> str:
    """The name of a device (str). Raises as get_device_properties()."""
    return get_device_properties(device).name


def get_device_capability(device: DeviceLike = None) -> tuple[int, int]:
    """Compute capability of a device: (major, minor). Raises as get_device_properties()."""
    properties = get_device_properties(device)
    return properties.major, properties.minor


def can_device_access_peer(device: DeviceLike, peer_device: NamedDevice) -> bool:
    """Report whether kernels on one device can access the memory of another directly (bool). Enables nothing.

    Args:
        device: None: the current device.
        peer_device: never None, and no name without an index.

    Raises:
        gpustream.InvalidDeviceError: an AssertionError; one of the two does not exist.
        TypeError: peer_device is None.
        ValueError: peer_device has no index.
    """
    number = _existing(device)
    return _core.gs_device_can_access_peer(number, _existing(peer_device, "Invalid peer device id", required, "peer_device"))


def _device_check(device: DeviceLike = None) -> None:
    """Check that a device's context is alive and free of sticky errors. See gs_device_check() in gpustream.h."""
    _core.start()
    _core.gs_device_check(number_or_negative(device))
