# SPDX-License-Identifier: Apache-2.0
"""The current device and the current stream of a thread, and the context managers that change them."""
from threading import get_ident

from gpustream._devices import _ordinal as ordinal, number_or_negative, of_number, required
from gpustream._load import _core
from gpustream.interop import as_stream


def set_device(device):
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


def current_device():
    """Index of this thread's current device (int). Initialises the library at first use."""
    _core.start()
    return _core.gs_current_device()


def _exchange_device(device):
    """Make a device current and give the one that was (int). Negative: no effect, -1."""
    device = ordinal(device, "device")
    return _core.gs_exchange_device(device) if device >= 0 else -1


def _maybe_exchange_device(device):
    """The same at the end of a scope: a device that cannot be used any more becomes current too."""
    device = ordinal(device, "device")
    return _core.gs_maybe_exchange_device(device) if device >= 0 else -1


class _Restore:
    """Base of the device guards: re-entrant, also on several threads at once, as each entry has its own place to go back to."""

    __slots__ = ("_previous", "idx")

    def __init__(self, index):
        self.idx = index
        self._previous = {}  # thread: the devices that were current there

    def __enter__(self):
        previous = _exchange_device(self.idx)
        self._previous.setdefault(get_ident(), []).append(previous)
        return self

    def __exit__(self, *exception):
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

    def __init__(self, index):
        super().__init__(ordinal(index, "index"))

    def __enter__(self):
        super().__enter__()


class device(_Restore):
    """with device(d): makes a device current on this thread until the block ends, also by an exception.

    d: a device; None or any negative number: no effect. Going back never creates a context.

    Raises gpustream.InvalidDeviceError when the block is entered.
    """

    __slots__ = ()

    def __init__(self, device):
        super().__init__(-1 if device is None else number_or_negative(device))

    def __enter__(self):
        super().__enter__()


class device_of(device):
    """with device_of(obj): makes the device of an object current until the block ends.

    obj: with .is_cuda and .get_device() as tensors have it; or a gpustream stream or event. Objects elsewhere: no effect.
    """

    __slots__ = ()

    def __init__(self, obj):
        super().__init__(_device_of(obj))


def _device_of(obj):
    if isinstance(obj, (_core.generic.Stream, _core.generic.Event)):
        return obj.device
    return obj.get_device() if getattr(obj, "is_cuda", False) else -1


_enter = _core.generic.Stream.__enter__  # a subclass's own would miss its __exit__


class StreamContext:
    """with StreamContext(s): makes a stream and its device current on this thread until the block ends.

    s: a stream, also another library's; None: no effect. One object may be entered again, also on other threads.
    """

    __slots__ = ("stream",)

    def __init__(self, stream):
        self.stream = stream if stream is None else as_stream(stream)

    def __enter__(self):
        if self.stream is not None:
            _enter(self.stream)

    def __exit__(self, *exception):
        if self.stream is not None:
            _core.gs_pop_current_stream(0)
        return False


def stream(stream):
    """StreamContext(stream)."""
    return StreamContext(stream)


def set_stream(stream):
    """Make a stream and its device current on this thread. None: no effect. Prefer `with stream:`.

    Raises TypeError: it is no stream.
    """
    if stream is not None:
        _core.set_current_stream(as_stream(stream))


def _set_stream_by_id(stream_id, device_index, device_type):
    """Make the stream current that a live object described by its three numbers."""
    _core.gs_set_current_stream(_core.Stream(stream_id=stream_id, device_index=device_index, device_type=device_type))


def _exchange_stream(stream):
    """Make a stream current and give the one that was current on its device."""
    return _core.gs_exchange_current_stream(as_stream(stream))


def _per_thread_stream(device=None):
    """The per-thread default stream of a device: native number 2."""
    _core.start()
    return _core.gs_per_thread_stream(device)


def is_current_stream_capturing():
    """Tell whether the current stream is being captured into a graph (bool). Never breaks the capture."""
    return _core.current_stream().is_capturing()


def _sleep(cycles):
    """Occupy the current stream: clock cycles of the device, nanoseconds on the host backend."""
    _core.start()
    _core.gs_stream_sleep(None, cycles)


def current_device_object():
    """The current device as a Device."""
    return of_number(current_device())
