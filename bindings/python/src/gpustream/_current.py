# SPDX-License-Identifier: Apache-2.0
"""The current device and the current stream of a thread, and the context managers that change them."""
from __future__ import annotations

from threading import get_ident
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

from gpustream import generic
from gpustream._devices import number_or_negative, ordinal, required
from gpustream._load import _core
from gpustream._stream import Stream
from gpustream.interop import as_stream

if TYPE_CHECKING:
    from gpustream._types import DeviceLike, NamedDevice, StreamLike

current_stream = _core.current_stream
default_stream = _core.default_stream
synchronize = _core.synchronize



def set_device(device: NamedDevice) -> None:
    """Make a device current on this thread. Any negative number: no effect.

    Creates no context; does not initialise the library. Prefer `with gpustream.device(d):`.

    Raises:
        gpustream.InvalidDeviceError: there is no such device.
        TypeError: device is None.
        ValueError: device has no index ("cuda").
    """
    number = required(device)
    if number >= 0:
        _core.gs_set_current_device(number)


def current_device() -> int:
    """Index of this thread's current device (int). Initialises the library at first use."""
    _core.start()
    return _core.gs_current_device()


def _exchange_device(device: SupportsIndex) -> int:
    """Make a device current and return the one that was (int). Negative: no effect, -1."""
    number = ordinal(device, "device")
    return _core.gs_exchange_device(number) if number >= 0 else -1


def _maybe_exchange_device(device: SupportsIndex) -> int:
    """The same at the end of a scope: a device that cannot be used any more becomes current too."""
    number = ordinal(device, "device")
    return _core.gs_maybe_exchange_device(number) if number >= 0 else -1


class _Restore:
    """Base of the device guards: re-entrant, also on several threads at once, as each entry has its own place to go back to."""

    __slots__ = ("_previous", "idx")

    def __init__(self, index: int) -> None:
        self.idx = index
        self._previous: dict[int, list[int]] = {}  # thread: the devices that were current there

    def _make_current(self) -> None:
        previous = _exchange_device(self.idx)
        self._previous.setdefault(get_ident(), []).append(previous)

    def __exit__(self, *exception: object) -> Literal[False]:
        entries = self._previous.get(get_ident())
        if not entries:
            raise RuntimeError(f"{type(self).__name__}: this thread has not entered it")
        previous = entries.pop()
        if not entries:
            del self._previous[get_ident()]
        _maybe_exchange_device(previous)
        return False


class _DeviceGuard(_Restore):
    """Makes the device of an index current for a while. Negative: no effect."""

    __slots__ = ()

    def __init__(self, index: SupportsIndex) -> None:
        super().__init__(ordinal(index, "index"))

    def __enter__(self) -> None:
        self._make_current()


class device(_Restore):
    """with device(d): makes a device current on this thread until the block ends, also by an exception.

    d: a device; None or any negative number: no effect. Going back never creates a context.

    Raises gpustream.InvalidDeviceError when the block is entered.
    """

    __slots__ = ()

    def __init__(self, device: DeviceLike) -> None:
        super().__init__(-1 if device is None else number_or_negative(device))

    def __enter__(self) -> None:
        self._make_current()


class device_of(device):
    """with device_of(obj): makes the device of an object current until the block ends.

    obj: with .is_cuda and .get_device() as tensors have it; or a gpustream stream or event. Objects elsewhere: no effect.
    """

    __slots__ = ()

    def __init__(self, obj: object) -> None:
        super().__init__(_device_of(obj))


def _device_of(obj: Any) -> Any:
    if isinstance(obj, (generic.Stream, generic.Event)):
        return obj.device
    return obj.get_device() if getattr(obj, "is_cuda", False) else -1


_enter = generic.Stream.__enter__  # a subclass's own would miss its __exit__


class StreamContext:
    """with StreamContext(s): makes a stream and its device current on this thread until the block ends.

    s: a stream, also another library's; None: no effect. One object may be entered again, also on other threads.
    """

    __slots__ = ("stream",)

    def __init__(self, stream: StreamLike | None) -> None:
        self.stream = stream if stream is None else as_stream(stream)

    def __enter__(self) -> None:
        if self.stream is not None:
            _enter(self.stream)

    def __exit__(self, *exception: object) -> Literal[False]:
        if self.stream is not None:
            _core.gs_pop_current_stream(0)
        return False


def stream(stream: StreamLike | None) -> StreamContext:
    """StreamContext(stream)."""
    return StreamContext(stream)


def set_stream(stream: StreamLike | None) -> None:
    """Make a stream and its device current on this thread. None: no effect. Prefer `with stream:`.

    Raises TypeError: it is not a stream.
    """
    if stream is not None:
        _core.set_current_stream(as_stream(stream))


def _set_stream_by_id(stream_id: SupportsIndex, device_index: SupportsIndex, device_type: SupportsIndex) -> None:
    """Make the stream current that a live object described by its three numbers."""
    _core.gs_set_current_stream(_core.Stream(stream_id=stream_id, device_index=device_index, device_type=device_type))


def _exchange_stream(stream: StreamLike) -> Stream:
    """Make a stream current and return the one that was current on its device."""
    return _core.gs_exchange_current_stream(as_stream(stream))


def _per_thread_stream(device: DeviceLike = None) -> Stream:
    """The per-thread default stream of a device: native number 2."""
    _core.start()
    return _core.gs_per_thread_stream(device)


def is_current_stream_capturing() -> bool:
    """Report whether the current stream is being captured into a graph (bool). Never breaks the capture."""
    return current_stream().is_capturing()


def _sleep(cycles: SupportsIndex) -> None:
    """Occupy the current stream: clock cycles of the device, nanoseconds on the host backend."""
    _core.start()
    _core.gs_stream_sleep(None, cycles)
