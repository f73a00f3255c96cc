# SPDX-License-Identifier: Apache-2.0
"""Memory that is allocated by address under torch's names, and the list of it."""
from __future__ import annotations

import sys

from gpustream._devices import number_of, ordinal, unsigned
from gpustream._load import _core
from gpustream._memory_pools import pool_id
from gpustream._out_of_memory import malloc
from gpustream._stream import ExternalStream
from gpustream.errors import Error, InvalidHandleError, fail
from gpustream.interop import as_stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, SupportsIndex

    from gpustream import generic
    from gpustream._types import DeviceLike, StreamLike

_BLOCK = 512  # sizes are rounded up to multiples of it, as gs_pool_stats_t says
_SMALL = 1 << 20  # torch's limit
_FREES = ("cuMemFreeAsync", "cuMemFree")  # after a failure of these the memory may be gone (gs_free_async() in gpustream.h)


class _Record:
    """One allocation."""

    __slots__ = ("captured", "device", "frames", "pool", "requested", "stream")

    def __init__(self, requested: int, device: int, stream: generic.Stream, frames: list[dict[str, Any]]) -> None:
        self.requested = requested
        self.device = device
        self.stream = stream  # kept, since the memory is freed in it
        self.frames = frames
        self.pool = pool_id(_core.gs_current_pool(device))
        self.captured = stream.is_capturing()


_records: dict[int, _Record] = {}  # by address
_keeps_stacks = False


def _target(device: DeviceLike, stream: StreamLike | int | None) -> generic.Stream:
    """The stream in which an allocation is made and freed."""
    if stream is None:
        return _core.current_stream(device)
    if isinstance(stream, bool):
        raise TypeError("argument 'stream' must be a stream, not bool")
    if isinstance(stream, int):
        return ExternalStream(stream, device)
    found = as_stream(stream, device=device)
    if device is not None:
        wanted = number_of(device)
        if _core.gs_stream_device(found) != wanted:
            raise fail(_core.GS_ERROR_DEVICE_MISMATCH, f"the stream is of another device than {wanted}")
    return found


def caching_allocator_alloc(size: SupportsIndex, device: DeviceLike = None, stream: StreamLike | int | None = None) -> int:
    """Allocate device memory in stream order, and return its address (int).

    It comes from the thread's current pool: the device's default one, or that of `with use_mem_pool(pool):`.

    Args:
        size: bytes; 0 allocates nothing.
        device: the device; None: the stream's, or the current one.
        stream: the stream in which the memory may be used at once; an int is a raw handle. None: the device's current one.
            The memory is freed in it, so it must not be closed before.

    Returns:
        The address; 0 for size 0.

    Raises:
        gpustream.OutOfMemoryError: the device, or the pool below its limit, has no room. The text has torch's numbers.
        gpustream.InvalidDeviceError: there is no such device.
        gpustream.DeviceMismatchError: the stream is of another device.
        TypeError, OverflowError: an argument is of a wrong type, or size is negative.

    Initialises the library. Does not block. See gs_malloc_async() in gpustream.h.
    """
    bytes = unsigned(size, "size")
    _core.start()
    target = _target(device, stream)
    if bytes == 0:
        return 0
    record = _Record(bytes, _core.gs_stream_device(target), target, _stack() if _keeps_stacks else [])
    pointer = malloc(bytes, target)
    _records[pointer] = record
    return pointer


def caching_allocator_delete(mem_ptr: SupportsIndex) -> None:
    """Free memory of caching_allocator_alloc(), in the order of the stream in which it was allocated.

    The memory may still be used by work that was submitted to that stream before. Other streams must have been waited for.

    Args:
        mem_ptr: its address; 0 does nothing.

    Raises:
        gpustream.InvalidArgumentError: there is no such memory, or it is freed already.
        gpustream.InvalidHandleError: its stream was closed. The memory is still allocated.

    Does not block. See gs_free_async() in gpustream.h.
    """
    pointer = ordinal(mem_ptr, "mem_ptr")
    if pointer == 0:
        return
    record = _records.pop(pointer, None)  # first: the address may be another thread's as soon as it is free
    if record is None:
        raise fail(_core.GS_ERROR_INVALID_ARGUMENT, f"invalid device pointer: {pointer:#x}")
    try:
        _core.gs_free_async(pointer, record.stream)
    except Error as error:
        if error.native_function not in _FREES:
            _records[pointer] = record
        raise


def memory_snapshot(mempool_id: tuple[int, int] | None = None, include_traces: bool = True) -> list[dict[str, Any]]:
    """Return what caching_allocator_alloc() has allocated and is not freed, on all devices, in torch's form.

    Args:
        mempool_id: MemPool.id: of that pool alone; None: of all.
        include_traces: accepted as torch's; there are no traces here.

    Returns:
        A dict for each allocation, by address. As no block is split, each is a segment with one block: address, total_size,
        requested_size, device, stream (raw handle; 0 if it was closed), segment_type ("large" above 1 MiB), segment_pool_id, allocated_size,
        active_size, is_expandable, frames and blocks. The frames are those of _record_memory_history().

    Memory of captures is their graph's and is not listed, nor is what was allocated by other calls. Never blocks.
    """
    del include_traces
    if not _core.gs_is_initialized():
        return []
    return [_segment(address, record) for address, record in sorted(_records.items(), key=lambda item: item[0])
            if not record.captured and mempool_id in (None, record.pool)]


def _segment(address: int, record: _Record) -> dict[str, Any]:
    size = -(-record.requested // _BLOCK) * _BLOCK
    block = {"address": address, "size": size, "requested_size": record.requested, "state": "active_allocated", "frames": record.frames}
    return {
        "address": address, "total_size": size, "requested_size": record.requested, "device": _core.gs_device_ordinal(record.device),
        "stream": _raw(record.stream), "segment_type": "large" if size > _SMALL else "small",
        "segment_pool_id": record.pool, "allocated_size": size, "active_size": size, "is_expandable": False, "frames": record.frames,
        "blocks": [block],
    }


def _raw(stream: generic.Stream) -> int:
    try:
        return _core.gs_stream_native(stream)
    except InvalidHandleError:
        return 0  # it was closed, and its memory is still listed


def _stack() -> list[dict[str, Any]]:
    """The caller's frames outside this module, innermost first."""
    found = []
    frame = sys._getframe(2)
    while frame is not None:
        found.append({"filename": frame.f_code.co_filename, "line": frame.f_lineno, "name": frame.f_code.co_name})
        frame = frame.f_back  # type: ignore[assignment]
    return found


def _record_memory_history(enabled: str | None = "all", context: str | None = "all", stacks: str = "all", max_entries: int = sys.maxsize) -> None:
    """Let memory_snapshot() say where the memory was allocated that is allocated from now on.

    Args:
        enabled: "state" or "all": keep the stack of each allocation; None: keep none any more.
        context: None keeps no stacks either.
        stacks, max_entries: accepted as torch's, without effect: stacks are those of Python, and no history of frees is kept.

    Raises ValueError: enabled or context is another word.
    """
    del stacks, max_entries
    if enabled not in (None, "state", "all"):
        raise ValueError(f'_record_memory_history(): enabled must be "state", "all" or None, not {enabled!r}')
    if context not in (None, "state", "alloc", "all"):
        raise ValueError(f'_record_memory_history(): context must be "state", "alloc", "all" or None, not {context!r}')
    global _keeps_stacks
    _keeps_stacks = enabled is not None and context is not None


def _snapshot(device: DeviceLike = None) -> dict[str, Any]:
    """Return {"segments": memory_snapshot(), "device_traces": a list without entries for each device}, as torch's viewers take it."""
    del device
    return {"segments": memory_snapshot(), "device_traces": [[] for _ in range(_core.device_count())]}


def _dump_snapshot(filename: str = "dump_snapshot.pickle") -> None:
    """Write _snapshot() to a file for torch's viewers of memory, pickled."""
    import pickle

    with open(filename, "wb") as file:
        pickle.dump(_snapshot(), file)
