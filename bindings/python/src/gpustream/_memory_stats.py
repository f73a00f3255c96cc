# SPDX-License-Identifier: Apache-2.0
"""The statistics of pools under torch's keys. Keys whose number the library does not know are left out."""
from __future__ import annotations

from collections import OrderedDict

from gpustream._devices import number_or_negative
from gpustream._load import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gpustream._types import DeviceLike

# What was counted when reset_accumulated_memory_stats() was called last, by the pool.
_counted_before: dict[int, dict[str, int]] = {}


def _accumulated(stats: dict[str, int]) -> dict[str, int]:
    """What only grows: numbers and sizes of what was allocated and freed."""
    return {
        "allocations": stats["allocations"], "frees": stats["frees"],
        "allocated": stats["allocated_total_bytes"], "allocated_freed": stats["allocated_total_bytes"] - stats["allocated_bytes"],
        "requested": stats["requested_total_bytes"], "requested_freed": stats["requested_total_bytes"] - stats["requested_bytes"],
        "segments": stats["segment_allocations"], "segments_freed": stats["segment_allocations"] - stats["segments"],
        "hits": stats["cache_hits"], "retries": stats["retries"], "ooms": stats["out_of_memory"],
    }


def of_pool(pool: int) -> dict[str, Any]:
    """The statistics of a pool as a nested dict."""
    stats = _core.gs_pool_get_stats(pool)
    before = _counted_before.get(pool, {})
    now = {name: value - before.get(name, 0) for name, value in _accumulated(stats).items()}

    def numbers(current: str, peak: str, allocated: str, freed: str) -> dict[str, int]:
        return {"current": stats[current], "peak": stats[peak], "allocated": now[allocated], "freed": now[freed]}

    blocks = numbers("blocks", "blocks_peak", "allocations", "frees")
    allocated = numbers("allocated_bytes", "allocated_peak_bytes", "allocated", "allocated_freed")
    nothing = {"current": 0, "peak": 0, "allocated": 0, "freed": 0}  # no block is ever split
    return {
        "active": {"all": blocks}, "active_bytes": {"all": dict(allocated)},
        "allocated_bytes": {"all": allocated}, "allocation": {"all": dict(blocks)},
        "cached_bytes": {"all": {"current": stats["cached_bytes"], "peak": stats["cached_peak_bytes"]}},
        "inactive_split": {"all": nothing}, "inactive_split_bytes": {"all": dict(nothing)},
        "num_alloc_retries": now["retries"], "num_cache_hits": now["hits"], "num_device_alloc": now["segments"],
        "num_device_free": now["segments_freed"], "num_ooms": now["ooms"], "num_sync_all_streams": 0,
        "requested_bytes": {"all": numbers("requested_bytes", "requested_peak_bytes", "requested", "requested_freed")},
        "reserved_bytes": {"all": {"current": stats["reserved_bytes"], "peak": stats["reserved_peak_bytes"]}},
        "segment": {"all": numbers("segments", "segments_peak", "segments", "segments_freed")},
    }


def flat(nested: dict[str, Any]) -> OrderedDict[str, int]:
    """{"a": {"b": 1}} as {"a.b": 1}, in the order of the keys."""
    found: list[tuple[str, int]] = []

    def add(prefix: str, values: dict[str, Any]) -> None:
        for name, value in values.items():
            if isinstance(value, dict):
                add(f"{prefix}{name}.", value)
            else:
                found.append((f"{prefix}{name}", value))

    add("", nested)
    return OrderedDict(sorted(found))


def pool_of(device: DeviceLike) -> int:
    """The default pool of a device, in an initialised library."""
    return _core.gs_pool_default(number_or_negative(device))


def memory_stats_as_nested_dict(device: DeviceLike = None) -> dict[str, Any]:
    """Return memory_stats() as nested dicts: {"allocated_bytes": {"all": {"current": 512, ...}}, ...}."""
    return of_pool(pool_of(device)) if _core.gs_is_initialized() else {}


def memory_stats(device: DeviceLike = None) -> OrderedDict[str, int]:
    """Return the statistics of a device's default pool, under torch's keys; {} as long as the library is not initialised.

    Args:
        device: a device; None or any negative number: the current one.

    Returns:
        What the library counts, each number exact, and no key for what it does not:
            allocation.all.{current,peak,allocated,freed}, and active.all: allocations.
            allocated_bytes.all.{current,peak,allocated,freed}, and active_bytes.all: bytes of them, each rounded up to 512.
            requested_bytes.all.{current,peak,allocated,freed}: bytes of them, as they were asked for.
            reserved_bytes.all.{current,peak}: bytes that the driver has reserved for the pool.
            segment.all.{current,peak,allocated,freed}, num_device_alloc, num_device_free: blocks of the driver.
            num_alloc_retries: allocations that had to give back first what streams keep.
            num_ooms: allocations that failed for want of memory, or of room below the limit.
            inactive_split.all, inactive_split_bytes.all, num_sync_all_streams: 0, as no block is split and nothing waits.
            cached_bytes.all.{current,peak}, num_cache_hits: gpustream's own: bytes that streams keep, and allocations from these.
        torch's keys of small_pool and large_pool are missing, since the library has no pools by size, and so are
        reserved_bytes.all.{allocated,freed}, since the driver does not say what it has reserved and released so far.

    Raises gpustream.InvalidDeviceError: there is no such device. Does not block. See gs_pool_get_stats() in gpustream.h.
    """
    return flat(memory_stats_as_nested_dict(device))


def reset_peak_memory_stats(device: DeviceLike = None) -> None:
    """Lower the peaks of a device's default pool to the present values. Does nothing before the library is initialised.

    On CUDA the driver's own peak is lowered, for other users of that pool as well. Raises gpustream.InvalidDeviceError: there
    is no such device. Does not block. See gs_pool_reset_peak() in gpustream.h.
    """
    if _core.gs_is_initialized():
        _core.gs_pool_reset_peak(pool_of(device))


def reset_accumulated_memory_stats(device: DeviceLike = None) -> None:
    """Let the counters of memory_stats() ("allocated", "freed", num_...) begin at 0 again. The library's own go on.

    Does nothing before the library is initialised. Raises gpustream.InvalidDeviceError: there is no such device.
    """
    if _core.gs_is_initialized():
        pool = pool_of(device)
        stats = _core.gs_pool_get_stats(pool)
        _counted_before[pool] = _accumulated(stats)


def empty_device_caches() -> None:
    """Give back to the system what the default pools of all devices do not need."""
    for device in range(_core.device_count()):
        _core.gs_pool_trim(_core.gs_pool_default(device), 0)
