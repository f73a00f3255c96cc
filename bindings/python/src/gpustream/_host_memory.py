# SPDX-License-Identifier: Apache-2.0
"""Page-locked host memory that this package allocates, and its statistics under torch's keys.

Counted here, as the library keeps no numbers of it. There is no cache: each allocation is the driver's, and each free.
"""
from __future__ import annotations

import threading

from gpustream._devices import ordinal
from gpustream._load import _core
from gpustream._memory_stats import flat
from gpustream.errors import Error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import OrderedDict
    from typing import Any, SupportsIndex

_METRICS = ("current", "peak", "allocated", "freed")
_lock = threading.Lock()
_sizes: dict[int, int] = {}  # by address
_count = dict.fromkeys(_METRICS, 0)
_bytes = dict.fromkeys(_METRICS, 0)


def _count_allocation(size: int) -> None:
    for values, amount in ((_count, 1), (_bytes, size)):
        values["current"] += amount
        values["allocated"] += amount
        values["peak"] = max(values["peak"], values["current"])


def _count_free(size: int) -> None:
    for values, amount in ((_count, 1), (_bytes, size)):
        values["current"] -= amount
        values["freed"] += amount


def malloc_host(bytes: SupportsIndex) -> int:
    """gs_malloc_host(), counted."""
    size = ordinal(bytes, "bytes")
    address = _core.gs_malloc_host(size)
    if address:  # 0: no bytes
        with _lock:
            _sizes[address] = size
            _count_allocation(size)
    return address


def free_host(pointer: SupportsIndex | None) -> None:
    """gs_free_host(), counted."""
    address = 0 if pointer is None else ordinal(pointer, "pointer")
    size = _sizes.pop(address, None)  # first: the address may be another thread's as soon as it is free
    try:
        _core.gs_free_host(address)
    except Error as error:
        if size is not None and not error.native_function:  # what the driver fails to free counts as freed
            _sizes[address] = size
            size = None
        raise
    finally:
        if size is not None:
            with _lock:
                _count_free(size)


def host_memory_stats_as_nested_dict() -> dict[str, Any]:
    """Return host_memory_stats() as nested dicts: {"allocations": {"current": 1, ...}, ...}."""
    if not _core.gs_is_initialized():
        return {}
    with _lock:
        return {
            "active_bytes": dict(_bytes), "active_requests": dict(_count), "allocated_bytes": dict(_bytes), "allocations": dict(_count),
            "num_host_alloc": _count["allocated"], "num_host_free": _count["freed"],
        }


def host_memory_stats() -> OrderedDict[str, int]:
    """Return the statistics of page-locked host memory that this package allocated; {} until the library is initialised.

    Returns:
        allocations.{current,peak,allocated,freed}, and active_requests: allocations.
        allocated_bytes.{current,peak,allocated,freed}, and active_bytes: bytes of them.
        num_host_alloc, num_host_free: calls of the driver: there is no cache in between.

    Exact. Memory of other languages in the process is not counted, nor is a MemPool's, which has memory_stats(). Never blocks.
    """
    return flat(host_memory_stats_as_nested_dict())


def reset_accumulated_host_memory_stats() -> None:
    """Let the counters of host_memory_stats() ("allocated", "freed", num_...) begin at 0 again. Never blocks."""
    with _lock:
        for values in (_count, _bytes):
            values.update(allocated=0, freed=0)


def reset_peak_host_memory_stats() -> None:
    """Lower the peaks of host_memory_stats() to the present values. Never blocks."""
    with _lock:
        for values in (_count, _bytes):
            values["peak"] = values["current"]
