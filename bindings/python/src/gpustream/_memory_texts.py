# SPDX-License-Identifier: Apache-2.0
"""Memory as text for people: a table of a device's pool, and the processes on a GPU."""
from __future__ import annotations

from gpustream._devices import number_of
from gpustream._load import _core
from gpustream._memory_stats import memory_stats
from gpustream._out_of_memory import size_text
from gpustream._telemetry import _get_nvml_device_index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpustream._types import DeviceLike

_COLUMNS = ("current", "peak", "allocated", "freed")
_WIDTH = 77
_BYTES = (("allocated_bytes", "Allocated"), ("reserved_bytes", "Reserved by the driver"))
_MORE_BYTES = (("requested_bytes", "Requested"), ("cached_bytes", "Kept for streams"))
_COUNTS = (("allocation", "Allocations"), ("segment", "Allocations by driver"))


def _row(name: str, cells: list[str]) -> str:
    return f"| {name:<23} |" + "|".join(f"{cell:>11} " for cell in cells) + "|"


def memory_summary(device: DeviceLike = None, abbreviated: bool = False) -> str:
    """Return memory_stats() of a device as a table (str). "-" stands for what is not counted.

    Args:
        device: a device; None or any negative number: the current one.
        abbreviated: only what is allocated and what is reserved.

    Initialises the library. Raises gpustream.InvalidDeviceError: there is no such device. Does not block.
    """
    _core.start()
    number = number_of(device)
    stats = memory_stats(number)
    line = f"|{'-' * _WIDTH}|"
    title = f"gpustream memory summary, device {_core.gs_device_ordinal(number)}"
    failed = f"out of memory: {stats['num_ooms']}, from streams' caches: {stats['num_cache_hits']}"
    rows = [f"|{'=' * _WIDTH}|", f"|{title:^{_WIDTH}}|", f"|{failed:^{_WIDTH}}|", f"|{'=' * _WIDTH}|",
            _row("", ["Now", "Peak", "Allocated", "Freed"])]
    for metric, name in _BYTES if abbreviated else _BYTES + _MORE_BYTES:
        values = [stats.get(f"{metric}.all.{column}") for column in _COLUMNS]
        rows += [line, _row(name, ["-" if value is None else size_text(value) for value in values])]
    for metric, name in () if abbreviated else _COUNTS:
        values = [stats.get(f"{metric}.all.{column}") for column in _COLUMNS]
        rows += [line, _row(name, ["-" if value is None else str(value) for value in values])]
    return "\n".join([*rows, f"|{'=' * _WIDTH}|", ""])


def list_gpu_processes(device: DeviceLike = None) -> str:
    """Return the processes that compute on a GPU and their memory, a line for each (str). Needs the package nvidia-ml-py.

    Args:
        device: a device; None: the current one, which initialises the library.

    Where the package or NVIDIA's driver is missing, that is what the text says, as in torch. Raises RuntimeError: NVML does not
    know the device, as for the host backend's. May block while NVML is asked.
    """
    try:
        import pynvml  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ModuleNotFoundError:
        return "pynvml module not found, please install nvidia-ml-py"
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError_DriverNotLoaded:
        return "cuda driver can't be loaded, is cuda enabled?"
    index = _get_nvml_device_index(device)
    processes = pynvml.nvmlDeviceGetComputeRunningProcesses(pynvml.nvmlDeviceGetHandleByIndex(index))
    lines = [f"process {one.pid:>10d} uses {_megabytes(one.usedGpuMemory)} GPU memory" for one in processes]
    return "\n".join([f"GPU:{index}", *(lines or ["no processes are running"])])


def _megabytes(size: int | None) -> str:
    """None stands for a size that NVML hides (in a container, say)."""
    return f"{'unknown':>12}   " if size is None else f"{size / (1 << 20):>12.3f} MB"
