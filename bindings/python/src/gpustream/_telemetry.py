# SPDX-License-Identifier: Apache-2.0
"""What devices report about themselves, and which there are before anything is initialised: through NVML, never CUDA.

A device that is named initialises nothing; None is the current device, and asking for that does (current_device()).
Unsupported fields are gpustream.NotSupportedError; a machine without NVML is gpustream.UnavailableError: both are
RuntimeErrors. The host backend answers from the operating system.
"""
from __future__ import annotations

import os
import sys
from gpustream._backends import special
from gpustream._devices import number_or_negative
from gpustream._load import _core
from gpustream._properties import get_device_capability
from gpustream.errors import Error, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gpustream._types import DeviceLike


def _device(device: DeviceLike) -> int:
    if device is None:
        return _core.GS_DEVICE_CURRENT
    number = number_or_negative(device)
    if number < 0:
        raise fail(_core.GS_ERROR_INVALID_DEVICE, "Invalid device id")
    return number


def _read(device: DeviceLike, field: int) -> dict[str, Any]:
    return _core.gs_device_get_telemetry(_device(device), field)


def utilization(device: DeviceLike = None) -> int:
    """Share of the last sample period (1/6 to 1 s) in which a kernel ran, percent (int)."""
    return int(_read(device, _core.GS_TELEMETRY_UTILIZATION)["utilization_percent"])


def memory_usage(device: DeviceLike = None) -> int:
    """Share of the last sample period in which device memory was read or written, percent (int)."""
    return int(_read(device, _core.GS_TELEMETRY_MEMORY_UTILIZATION)["memory_utilization_percent"])


def temperature(device: DeviceLike = None) -> int:
    """Temperature of the GPU's core, degrees Celsius (int)."""
    return int(_read(device, _core.GS_TELEMETRY_TEMPERATURE)["temperature_celsius"])


def power_draw(device: DeviceLike = None) -> int:
    """Power drawn, mW (int)."""
    return int(_read(device, _core.GS_TELEMETRY_POWER)["power_milliwatts"])


def clock_rate(device: DeviceLike = None) -> int:
    """Present clock of the multiprocessors, MHz (int)."""
    return int(_read(device, _core.GS_TELEMETRY_SM_CLOCK)["sm_clock_mhz"])


def mem_get_info(device: DeviceLike = None) -> tuple[int, int]:
    """(free, total) memory of a device, bytes, over all processes.

    From NVML: total is what the GPU has, which is more than get_device_properties().total_memory, what the driver leaves
    to programs. Where NVML has no answer, the driver's numbers for a device in use.
    """
    found = _read(device, _core.GS_TELEMETRY_MEMORY)
    return found["memory_free_bytes"], found["memory_total_bytes"]


def device_memory_used(device: DeviceLike = None) -> int:
    """Memory of a device in use, bytes (int), over all processes."""
    return int(_read(device, _core.GS_TELEMETRY_MEMORY)["memory_used_bytes"])


def _kernels_for() -> int:
    return special(_core.gs_default_backend()).kernels_for if _core.gs_is_available() else 0


def get_arch_list() -> list[str]:
    """The architectures the library brings kernels for: ["sm_90", "compute_90", ...]; [] on host and without a usable GPU."""
    target = _kernels_for()
    return [f"compute_{target}"] if target else []


def get_gencode_flags() -> str:
    """The compiler's options for get_arch_list(), for nvcc; "" exactly where that is empty."""
    target = _kernels_for()
    return f"-gencode compute=compute_{target},code=compute_{target}" if target else ""


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Report whether the current device computes in bfloat16 (bool): capability 8.0 or later, or any GPU by emulation.

    As in torch. False where no device is available, and for devices that are no GPUs.
    """
    if not _core.gs_is_available():
        return False
    major, _ = get_device_capability()
    return major > 0 if including_emulation else major >= 8


def is_tf32_supported() -> bool:
    """Report whether the current device computes in TF32 (bool): capability 8.0 or later. False where no device is available."""
    return _core.gs_is_available() and get_device_capability()[0] >= 8


def current_blas_handle() -> int:
    """A cublasHandle_t (int) bound to the current stream, for this thread. May block at its first call."""
    _core.start()
    stream = _core.current_stream()
    return special(_core.gs_device_backend(_core.gs_stream_device(stream)) or _core.gs_default_backend()).blas_handle(stream)


def _parse_visible_devices() -> list[int] | list[str]:
    """CUDA_VISIBLE_DEVICES as a list: ordinals (int), or beginnings of UUIDs (str). The environment is read at each call."""
    value = os.environ.get("CUDA_VISIBLE_DEVICES")
    # The rules are about bytes, which need not be UTF-8: each travels as one character.
    text = _core.gs_parse_visible_devices(value if value is None else os.fsencode(value).decode("latin-1"))
    items = [os.fsdecode(item.encode("latin-1")) for item in text.split(",")] if text else []
    uuids = value is not None and value.startswith(("GPU-", "MIG-"))
    return items if uuids else [_ordinal(item) for item in items]


def _ordinal(digits: str) -> int:
    return int(digits) if len(digits) < 20 else sys.maxsize  # int() refuses thousands of digits, and no device has either


def _transform_uuid_to_ordinals(candidates: Sequence[str], uuids: Sequence[str]) -> list[int]:
    """Positions among uuids of the devices that candidates, beginnings of UUIDs, mean.

    A candidate that none or several begin with ends the list; two for one UUID make it empty.
    """
    found: list[int] = []
    for candidate in candidates:
        positions = [position for position, uuid in enumerate(uuids) if uuid.startswith(candidate)]
        if len(positions) != 1:
            break
        if positions[0] in found:
            return []
        found += positions
    return found


def _raw_device_count_nvml() -> int:
    """How many GPUs the machine has, whatever CUDA_VISIBLE_DEVICES says; -1 if NVML cannot tell."""
    try:
        return _core.gs_inventory_count()[0]
    except Error:
        return -1


def _raw_device_uuid_nvml() -> list[str] | None:
    """Their UUIDs by NVML's index; None if NVML fails for one of them."""
    try:
        uuids = [_core.gs_inventory_get(index)["uuid"] for index in range(_core.gs_inventory_count()[0])]
    except Error:
        return None
    return uuids if all(uuids) else None  # one that does not answer might be any


def _device_count_nvml() -> int:
    """How many devices this process may use, by NVML alone; -1: only the driver can tell.

    The two raw helpers are looked up as attributes of the package at each call, so that they can be replaced.
    """
    package: Any = sys.modules["gpustream"]
    visible = package._parse_visible_devices()
    if not visible:
        return 0
    if isinstance(visible[0], str):
        if visible[0].startswith("MIG-"):
            return -1
        uuids = package._raw_device_uuid_nvml()
        return -1 if uuids is None else len(package._transform_uuid_to_ordinals(visible, uuids))
    count: int = package._raw_device_count_nvml()
    if count <= 0:
        return count
    for position, ordinal in enumerate(visible):
        if ordinal >= count:
            return position
    return len(visible)


def _get_nvml_device_index(device: DeviceLike = None) -> int:
    """NVML's index of a device (int). Raises RuntimeError where it cannot be known."""
    index: int = _core.gs_inventory_get(_core.gs_inventory_index(_device(device)))["nvml_index"]
    return index
