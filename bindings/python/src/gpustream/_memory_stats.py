# SPDX-License-Identifier: Apache-2.0
"""The statistics of pools under torch's keys. Keys whose number the library does not know are left out, never 0."""
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
_ACCUMULATED = ("allocations", "frees", "cache_hits", "out_of_memory")


def of_pool(pool: int) -> dict[str, Any]:
    """The statistics of a pool as a nested dict."""
    stats = _core.gs_pool_get_stats(pool)
    before = _counted_before.get(pool, {})
    allocations, frees, hits, failures = (stats[name] - before.get(name, 0) for name in _ACCUMULATED)
    blocks = {"current": stats["blocks"], "allocated": allocations, "freed": frees}
    allocated = {"current": stats["allocated_bytes"], "peak": stats["allocated_peak_bytes"]}
    reserved = {"current": stats["reserved_bytes"], "peak": stats["reserved_peak_bytes"]}
    nothing = {"current": 0, "peak": 0, "allocated": 0, "freed": 0}  # no block is ever split
    return {
        "active": {"all": blocks}, "active_bytes": {"all": dict(allocated)},
        "allocated_bytes": {"all": allocated}, "allocation": {"all": dict(blocks)},
        "cached_bytes": {"all": {"current": stats["cached_bytes"]}},
        "inactive_split": {"all": nothing}, "inactive_split_bytes": {"all": dict(nothing)},
        "num_cache_hits": hits, "num_device_alloc": allocations - hits, "num_ooms": failures, "num_sync_all_streams": 0,
        "requested_bytes": {"all": {"current": stats["requested_bytes"]}},
        "reserved_bytes": {"all": reserved}, "segment": {"all": {"allocated": allocations - hits}},
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
            allocation.all.{current,allocated,freed}, and active.all: allocations.
            allocated_bytes.all.{current,peak}, and active_bytes.all: bytes of them, each rounded up to 512.
            requested_bytes.all.current: bytes of them, as they were asked for.
            reserved_bytes.all.{current,peak}: bytes that the driver has reserved for the pool.
            segment.all.allocated, num_device_alloc: allocations by the driver.
            num_ooms: allocations that failed for want of memory, or of room below the limit.
            inactive_split.all, inactive_split_bytes.all, num_sync_all_streams: 0, as no block is split and nothing waits.
            cached_bytes.all.current, num_cache_hits: gpustream's own: bytes that streams keep, and allocations from these.

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
        _counted_before[pool] = {name: stats[name] for name in _ACCUMULATED}


def empty_device_caches() -> None:
    """Give back to the system what the default pools of all devices do not need."""
    for device in range(_core.device_count()):
        _core.gs_pool_trim(_core.gs_pool_default(device), 0)
