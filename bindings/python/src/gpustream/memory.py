# SPDX-License-Identifier: Apache-2.0
"""Memory of devices under torch.cuda.memory's names: numbers, limits, pools, and allocations by address.

The numbers and the limit are those of a device's default pool, from which everything is allocated that names no other, in all
languages of the process. A MemPool has numbers of its own: MemPool.memory_stats(). docs/guide/memory.md has the rules.
"""
from __future__ import annotations

from gpustream import _later, _memory_stats
from gpustream._core import (
    max_memory_allocated as max_memory_allocated, max_memory_reserved as max_memory_reserved, memory_allocated as memory_allocated,
    memory_reserved as memory_reserved,
)
from gpustream._devices import number_or_negative
from gpustream._host_memory import (
    host_memory_stats as host_memory_stats, host_memory_stats_as_nested_dict as host_memory_stats_as_nested_dict,
    reset_accumulated_host_memory_stats as reset_accumulated_host_memory_stats, reset_peak_host_memory_stats as reset_peak_host_memory_stats,
)
from gpustream._load import _core
from gpustream._memory_pools import MemPool as MemPool, empty_cache as empty_cache, use_mem_pool as use_mem_pool
from gpustream._memory_records import (
    _dump_snapshot as _dump_snapshot, _record_memory_history as _record_memory_history, _snapshot as _snapshot,
    caching_allocator_alloc as caching_allocator_alloc, caching_allocator_delete as caching_allocator_delete,
    memory_snapshot as memory_snapshot,
)
from gpustream._memory_stats import (
    memory_stats as memory_stats, memory_stats_as_nested_dict as memory_stats_as_nested_dict,
    reset_accumulated_memory_stats as reset_accumulated_memory_stats, reset_peak_memory_stats as reset_peak_memory_stats,
)
from gpustream._memory_texts import list_gpu_processes as list_gpu_processes, memory_summary as memory_summary
from gpustream._telemetry import device_memory_used as device_memory_used, mem_get_info as mem_get_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpustream._types import DeviceLike

_fractions: dict[int, tuple[int, float]] = {}  # what was set last: (limit, fraction) by the pool


def _warn(name: str, text: str) -> None:
    import warnings

    warnings.warn(f"gpustream.{name} {text}", FutureWarning, stacklevel=3)


def memory_cached(device: DeviceLike = None) -> int:
    """Return memory_reserved(device) (int), with a FutureWarning: the name is torch's older one."""
    _warn("memory_cached", "has been renamed to gpustream.memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device: DeviceLike = None) -> int:
    """Return max_memory_reserved(device) (int), with a FutureWarning: the name is torch's older one."""
    _warn("max_memory_cached", "has been renamed to gpustream.max_memory_reserved")
    return max_memory_reserved(device)


def reset_max_memory_allocated(device: DeviceLike = None) -> None:
    """Call reset_peak_memory_stats(device), which lowers all peaks, with a FutureWarning that says so."""
    _warn("reset_max_memory_allocated", "calls gpustream.reset_peak_memory_stats, which resets all peaks")
    reset_peak_memory_stats(device)


def reset_max_memory_cached(device: DeviceLike = None) -> None:
    """Call reset_peak_memory_stats(device), which lowers all peaks, with a FutureWarning that says so."""
    _warn("reset_max_memory_cached", "calls gpustream.reset_peak_memory_stats, which resets all peaks")
    reset_peak_memory_stats(device)


def _total(device: DeviceLike) -> int:
    total: int = _later.load("_properties").get_device_properties(None if number_or_negative(device) < 0 else device).total_memory
    return total


def set_per_process_memory_fraction(fraction: float, device: DeviceLike = None) -> None:
    """Limit a device's default pool to a share of the device's memory.

    An allocation that would exceed it is an OutOfMemoryError. What is allocated already stays. MemPools are not limited by it,
    but by their own limit_bytes.

    Args:
        fraction: 0.0 to 1.0, of get_device_properties(device).total_memory.
        device: a device; None or any negative number: the current one.

    Raises:
        TypeError: fraction is no float.
        ValueError: fraction is below 0 or above 1, or not a number.
        gpustream.InvalidDeviceError: there is no such device.

    Initialises the library. Does not block. See gs_pool_set_limit() in gpustream.h.
    """
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    _core.start()
    pool = _memory_stats.pool_of(device)
    limit = max(1, int(_total(device) * fraction))  # 0 would be no limit; no block fits into 1
    _core.gs_pool_set_limit(pool, limit)
    _fractions[pool] = limit, fraction


def get_per_process_memory_fraction(device: DeviceLike = None) -> float:
    """Return the share of a device's memory to which its default pool is limited (float); 1.0 where it has no limit.

    Args:
        device: a device; None or any negative number: the current one.

    Initialises the library. Raises gpustream.InvalidDeviceError: there is no such device. Does not block.
    """
    _core.start()
    pool = _memory_stats.pool_of(device)
    limit = _core.gs_pool_get_stats(pool)["limit_bytes"]
    set_limit, fraction = _fractions.get(pool, (0, 1.0))
    if limit == set_limit:  # else other code has changed it
        return fraction
    return min(1.0, limit / _total(device)) if limit else 1.0


def get_allocator_backend() -> str:
    """Return torch's word for where memory comes from (str): "cudaMallocAsync", the driver's pools; "host" on the host backend."""
    word: str = _later.load("_backends").special(_core.gs_default_backend()).allocator
    return word


__all__ = [
    "MemPool", "caching_allocator_alloc", "caching_allocator_delete", "device_memory_used", "empty_cache", "get_allocator_backend",
    "get_per_process_memory_fraction", "host_memory_stats", "host_memory_stats_as_nested_dict", "list_gpu_processes", "max_memory_allocated",
    "max_memory_cached", "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_cached", "memory_reserved", "memory_snapshot",
    "memory_stats", "memory_stats_as_nested_dict", "memory_summary", "reset_accumulated_host_memory_stats", "reset_accumulated_memory_stats",
    "reset_max_memory_allocated", "reset_max_memory_cached", "reset_peak_host_memory_stats", "reset_peak_memory_stats",
    "set_per_process_memory_fraction", "use_mem_pool",
]
