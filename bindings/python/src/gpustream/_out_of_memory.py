# SPDX-License-Identifier: Apache-2.0
"""Allocation in stream order, whose failures for want of memory say what torch's say: how much was wanted, and who has the rest."""
from __future__ import annotations

from gpustream import _later
from gpustream._load import _core
from gpustream.errors import Error, OutOfMemoryError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gpustream import generic

_UNITS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def size_text(size: int) -> str:
    """A number of bytes as torch's texts have it."""
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size / unit:.2f} {name}"
    return f"{size} bytes"


def malloc(bytes: int, stream: generic.Stream | None) -> int:
    """gs_malloc_async(); None: the current stream."""
    try:
        return _core.gs_malloc_async(bytes, stream)
    except OutOfMemoryError as error:
        device = _core.gs_current_device() if stream is None else _core.gs_stream_device(stream)
        explain(error, bytes, device, _core.gs_current_pool(device))
        raise


def explain(error: OutOfMemoryError, bytes: int, device: int, pool: int) -> None:
    """Give a failed allocation the text that torch's have; the library's own comes last.

    Args:
        bytes: what was asked for.
        device: gs_device_t of the memory.
        pool: gs_pool_t that it was asked of.
    """
    words = _later.load("_backends").special(_core.gs_device_backend(device) or _core.gs_default_backend())
    text = (f"{words.title} out of memory. Tried to allocate {size_text(bytes)}. "
            f"{words.device_word} {_core.gs_device_ordinal(device)} has a total capacity of {_capacity(device)}.")
    try:
        stats = _core.gs_pool_get_stats(pool)
    except Error:  # of a device that is lost as well: what is known is said, and the allocation's own failure is raised
        pass
    else:
        limit, allocated, reserved = stats["limit_bytes"], stats["allocated_bytes"], stats["reserved_bytes"]
        text += f" {size_text(limit)} allowed;" if limit else ""
        text += (f" Of the allocated memory {size_text(allocated)} is allocated by gpustream, and "
                 f"{size_text(max(0, reserved - allocated))} is reserved by gpustream but unallocated.")
    error.args = (f"{text} ({error})",)


def _capacity(device: int) -> str:
    """The device's memory and what of it is free, where anyone knows that."""
    try:
        found = _core.gs_device_get_telemetry(device, _core.GS_TELEMETRY_MEMORY)
    except Error:  # neither NVML nor the driver tells; the total is known without them
        return size_text(_core.gs_device_get_info(device)["total_memory_bytes"])
    return f"{size_text(found['memory_total_bytes'])} of which {size_text(found['memory_free_bytes'])} is free"
