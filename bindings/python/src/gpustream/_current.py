# SPDX-License-Identifier: Apache-2.0
"""The current device and the current stream of a thread, and the context managers that change them."""
from __future__ import annotations

from gpustream._devices import ordinal
from gpustream._load import _core
from gpustream.interop import as_stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import SupportsIndex

    from gpustream._stream import Stream
    from gpustream._types import DeviceLike, StreamLike

def _exchange_device(device: SupportsIndex) -> int:
    """Make a device current and return the one that was (int). Negative: no effect, -1."""
    number = ordinal(device, "device")
    return _core.gs_exchange_device(number) if number >= 0 else -1


_maybe_exchange_device = _exchange_device  # torch's name for the end of a scope


class _DeviceGuard(_core.DeviceGuard):
    """Makes the device of an index current for a while. Negative: no effect."""

    __slots__ = ()

    def __init__(self, index: SupportsIndex) -> None:
        super().__init__(ordinal(index, "index"))


def _set_stream_by_id(stream_id: SupportsIndex, device_index: SupportsIndex, device_type: SupportsIndex) -> None:
    """Make the stream current that a live object described by its three numbers."""
    _core.gs_set_current_stream(_core.Stream(stream_id=stream_id, device_index=device_index, device_type=device_type))


def _exchange_stream(stream: StreamLike) -> Stream:
    """Make a stream current and return the one that was current on its device."""
    return _core.gs_exchange_current_stream(as_stream(stream))


def per_thread_stream(device: DeviceLike = None) -> Stream:
    """Return the per-thread default stream of a device, native number 2: in each call it means the calling thread's own.

    Args:
        device: None or any negative number: the current device.

    Raises gpustream.InvalidDeviceError. Does not block. See gs_per_thread_stream() in gpustream.h.
    """
    _core.start()
    return _core.gs_per_thread_stream(device)


def unwind() -> None:
    """End all blocks of streams and devices of the calling thread, the innermost first: what was current before them is again.

    For a thread that keeps the stream of a generator which was collected elsewhere. A block that it ends raises gpustream.ScopeError when it
    is left, and so do those of pools, graphs and ranges, which it forgets. Does not block. See gs_unwind_current_stream() in
    gpustream.h.
    """
    _core.unwind_scopes(0)


def is_current_stream_capturing() -> bool:
    """Report whether the current stream is being captured into a graph (bool). Never breaks the capture."""
    return _core.current_stream().is_capturing()


def _sleep(cycles: SupportsIndex) -> None:
    """Occupy the current stream: clock cycles of the device, nanoseconds on the host backend."""
    _core.start()
    _core.gs_stream_sleep(None, cycles)
