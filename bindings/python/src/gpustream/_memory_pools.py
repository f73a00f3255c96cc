# SPDX-License-Identifier: Apache-2.0
"""Pools of a program's own, under torch's names."""
from __future__ import annotations

import threading
from itertools import count
from weakref import ref

from gpustream import _later, _memory_stats
from gpustream._devices import number_of, unsigned
from gpustream._extend import Block, Owner
from gpustream._load import _core
from gpustream.errors import fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import OrderedDict
    from typing import Any, SupportsIndex

    from typing_extensions import Self

    from gpustream._types import DeviceLike

_lock = threading.Lock()
_numbers = count(1)
_live: dict[int, ref[MemPool]] = {}  # by their numbers
_pinned: dict[int, int] = {}  # the library's pools of pinned_pool(), by device


class MemPool(Owner):
    """Memory of its own, for what is allocated in `with use_mem_pool(pool):`.

    On each device where it is used it has a driver's pool, which is made then. Memory that was allocated from it stays valid
    until it is freed, also when the MemPool is gone.

    Args:
        allocator: None; there are no others.
        use_on_oom: False; memory of one pool never serves another one.
        no_split: either; no block is ever split.
        limit_bytes: what it may take from the driver at most on each device; 0: no limit.
        peers: whether devices that can access the memory's device may use the memory.
        poison: whether memory is filled with the byte 0xDD, in stream order, when it is freed.
        host: whether it is page-locked memory of the host instead of the device's.

    Raises:
        gpustream.NotSupportedError: an allocator was given, or use_on_oom is true.
        TypeError, OverflowError: limit_bytes is no int, or out of range.
    """

    __slots__ = ("__weakref__", "_flags", "_handles", "_limit", "_number", "_uses")

    _handles: dict[int, int]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """What __del__ needs, however __init__ ends."""
        self = super().__new__(cls)
        self._handles = {}
        return self

    def __init__(self, allocator: None = None, use_on_oom: bool = False, no_split: bool = False, *, limit_bytes: SupportsIndex = 0,
                 peers: bool = False, poison: bool = False, host: bool = False) -> None:
        del no_split
        if allocator is not None:
            raise fail(_core.GS_ERROR_NOT_SUPPORTED, "MemPool(): there is no allocator but gpustream's own")
        if use_on_oom:
            raise fail(_core.GS_ERROR_NOT_SUPPORTED, "MemPool(): memory of one pool cannot serve another one, use_on_oom is not supported")
        limit = unsigned(limit_bytes, "limit_bytes")
        self._flags = (_core.GS_POOL_PEERS if peers else 0) | (_core.GS_POOL_POISON if poison else 0) | (_core.GS_POOL_HOST if host else 0)
        self._limit = limit
        with _lock:
            number = self._number = next(_numbers)
        self._uses = 0
        _live[number] = ref(self, lambda _: _live.pop(number, None))

    @property
    def id(self) -> tuple[int, int]:
        """What memory_snapshot() calls the pool: two ints, which no other pool of the process has."""
        return 0, self._number

    @property
    def allocator(self) -> None:
        """None: gpustream's own allocator is the only one."""
        return

    def use_count(self) -> int:
        """Return how many use the pool (int): this object, and each `with use_mem_pool(pool):` that is entered."""
        return 1 + self._uses

    def snapshot(self, include_traces: bool = True) -> list[dict[str, Any]]:
        """Return memory_snapshot(pool.id)."""
        found: list[dict[str, Any]] = _later.load("_memory_records").memory_snapshot(self.id, include_traces)
        return found

    def memory_stats(self, device: DeviceLike = None) -> OrderedDict[str, int]:
        """Return the pool's own statistics on a device under the keys of gpustream.memory_stats(); {} where it was never used."""
        handle = self._handle_on(device)
        return _memory_stats.flat(_memory_stats.of_pool(handle) if handle else {})

    def reset_peak_memory_stats(self, device: DeviceLike = None) -> None:
        """Lower the peaks of the pool on a device to the present values. A device that never used the pool is left alone."""
        handle = self._handle_on(device)
        if handle:
            _core.gs_pool_reset_peak(handle)

    def empty_cache(self) -> None:
        """Give back to the system what the pool does not need, on all devices."""
        for handle in list(self._handles.values()):
            _core.gs_pool_trim(handle, 0)

    def _handle_on(self, device: DeviceLike) -> int:
        """The library's pool on a device; 0: it was not used there."""
        return self._handles.get(number_of(device), 0) if self._handles and _core.gs_is_initialized() else 0

    def _begin(self, device: int) -> int:
        with _lock:
            handle = self._handles.get(device)
            if handle is None:
                handle = _core.gs_pool_create(device, {"flags": self._flags, "limit_bytes": self._limit})
                self._handles[device] = handle
            self._uses += 1
            return handle

    def _end(self) -> None:
        with _lock:
            self._uses -= 1

    def __del__(self) -> None:
        handles, self._handles = self._handles, {}
        for handle in handles.values():
            _core.gs_pool_destroy(handle)


def _all() -> list[MemPool]:
    """Those that live now, also while other threads make some."""
    return [pool for reference in list(_live.values()) if (pool := reference()) is not None]


def pool_id(handle: int) -> tuple[int, int]:
    """MemPool.id of the library's pool; (0, 0) of one that is no MemPool's."""
    return next((pool.id for pool in _all() if handle in list(pool._handles.values())), (0, 0))


def pinned_pool(device: int) -> int:
    """Hook: the pool of page-locked memory for buffers of a device, which lives as long as the process."""
    found = _pinned.get(device)
    if found is None:
        made = _core.gs_pool_create(device, {"flags": _core.GS_POOL_HOST})
        found = _pinned.setdefault(device, made)
        if found != made:  # another thread was first
            _core.gs_pool_destroy(made)
    return found


class use_mem_pool(Block):
    """Allocate from a pool in a `with` block: what this thread allocates in stream order on one device.

    In a capture the memory is the graph's, whatever the pool. Blocks nest, and end in order.

    Args:
        pool: a MemPool.
        device: a device; None or any negative number: the current one.

    Raises:
        TypeError: pool is not a MemPool.
        gpustream.InvalidDeviceError: on entering: there is no such device.
        gpustream.NotSupportedError: on entering: the device has no pools, or none of page-locked memory.
        gpustream.ScopeError: on leaving: the block ended on another thread, or out of order. Nothing changes then.

    Initialises the library. Does not block. See gs_set_current_pool() in gpustream.h.
    """

    def __init__(self, pool: MemPool, device: DeviceLike = None) -> None:
        if not isinstance(pool, MemPool):
            raise TypeError(f"use_mem_pool(): argument 'pool' must be MemPool, not {type(pool).__name__}")
        super().__init__()
        self._pool, self._device = pool, device

    def _begin(self) -> int:
        _core.start()
        number = number_of(self._device)
        before = _core.gs_current_pool(number)
        handle = self._pool._begin(number)
        try:
            _core.gs_pool_retain(before)  # the thread's own reference ends when it makes another one current
            try:
                _core.gs_set_current_pool(handle)
            except BaseException:
                _core.gs_pool_destroy(before)
                raise
        except BaseException:
            self._pool._end()
            raise
        return before

    def _end(self, before: int, exc_type: type[BaseException] | None) -> None:
        try:
            _core.gs_set_current_pool(before)
        finally:
            _core.gs_pool_destroy(before)
            self._pool._end()


def empty_cache() -> None:
    """Give back to the system what no allocation needs: of the default pools of all devices and of every MemPool.

    Does nothing before the library is initialised. Memory that pending work may still use stays. See gs_pool_trim() in
    gpustream.h.
    """
    if _core.gs_is_initialized():
        _memory_stats.empty_device_caches()
        for pool in _all():
            pool.empty_cache()
