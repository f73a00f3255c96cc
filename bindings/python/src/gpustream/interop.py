# SPDX-License-Identifier: Apache-2.0
"""Streams of other libraries, and the numbers by which protocols pass streams.

Wherever a stream is expected, these are accepted: gpustream's own; an object with __cuda_stream__() (CuPy, cuda.core,
RMM, CCCL); one with .cuda_stream (PyTorch) or .ptr (CuPy). A bare number is not, but for ExternalStream. The object is
kept alive as long as gpustream uses its stream. Stream.wait_event() takes the events of PyTorch, CuPy, cuda.core and numba.
"""
from __future__ import annotations

from gpustream import _later, generic
from gpustream._event import Event
from gpustream._load import _core
from gpustream._stream import ExternalStream, Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from gpustream._bridges import Switch
    from gpustream._memory_pools import MemPool
    from gpustream._types import DeviceLike, EventLike, StreamLike

    class Bridge(Protocol):
        """What register_bridge() takes; set and set_device may be missing."""

        @property
        def name(self) -> str: ...

        def get(self, device_index: int, /) -> int: ...


LEGACY = 1      # the default stream, where protocols forbid 0
PER_THREAD = 2

_has_dlpack_streams: dict[int, bool] = {}  # by the backend's number


def _number_of(stream: object, name: str) -> Any:
    if isinstance(stream, type):  # has its instances' methods
        raise TypeError(f"argument '{name}' must be a stream, not the class {stream.__name__}")
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        answer = protocol() if callable(protocol) else protocol
        try:
            version, number, *_ = answer
        except (TypeError, ValueError):
            raise TypeError(f"argument '{name}': __cuda_stream__ of {type(stream).__name__} returned no pair") from None
        if version != 0:
            raise NotImplementedError(f"argument '{name}': version {version} of __cuda_stream__ is not known, only 0")
        return number
    is_memory = isinstance(stream, _core.Buffer) or hasattr(type(stream), "__cuda_array_interface__")  # which has a .ptr, too
    for attribute in ("cuda_stream", "ptr") if not is_memory else ():
        number = getattr(stream, attribute, None)
        if isinstance(number, int) and not isinstance(number, bool):
            return number
    raise TypeError(f"argument '{name}' must be a stream, not {type(stream).__name__}")


def as_stream(stream: StreamLike, *, device: DeviceLike = None, name: str = "stream") -> generic.Stream:
    """Return a gpustream stream for a stream of another library; gpustream's own are returned as they are.

    Args:
        stream: see the module's description.
        device: where it must be; None: wherever it is. The default and per-thread stream have no device of their own:
            there None is the foreign object's .device_id, .device_index or .device, else the current device.

    Raises:
        TypeError: it is not a stream.
        gpustream.InvalidHandleError: its handle is not a live stream.
        gpustream.DeviceMismatchError: it belongs to another device.
    """
    if isinstance(stream, generic.Stream):
        return stream
    number = _number_of(stream, name)
    if device is None and number in (0, LEGACY, PER_THREAD):
        device = _device_of(stream)
    return ExternalStream(number, device, owner=stream)


def _optional(stream: StreamLike | None) -> generic.Stream | None:
    """None stands for the current stream."""
    return None if stream is None else as_stream(stream)


def _device_of(thing: object) -> int:
    """Of a stream or an event; -1 if it does not say."""
    device = getattr(thing, "device", None)
    for holder, attribute in ((thing, "device_id"), (thing, "device_index"), (device, "index"), (device, "device_id")):
        index = getattr(holder, attribute, None)
        if isinstance(index, int) and index >= 0:
            return index
    return -1


def as_event(event: EventLike, *, device: DeviceLike = None) -> generic.Event:
    """Return a gpustream event for an event of PyTorch, CuPy, cuda.core or numba; gpustream's own are returned as they are.

    Args:
        event: has .cuda_event (PyTorch), .ptr and .done (CuPy), or .handle (cuda.core, numba). It counts as recorded, but for
            one that PyTorch has not recorded yet. Its object must live as long as the result is used; a wait that has been
            submitted is honoured.
        device: where it is; None: the event's own device if it says so, else the current one.

    Raises:
        TypeError: it is not an event.
        gpustream.InvalidHandleError: its handle is not an event's.

    Stream.wait_event() takes such events directly.
    """
    if isinstance(event, generic.Event):
        return event
    number = _event_number(event)
    if number is None:
        raise TypeError(f"argument 'event' must be an event, not {type(event).__name__}")
    if number == 0:  # never recorded: there is nothing to wait for
        return Event()
    if device is None:
        device = _device_of(event) if _device_of(event) >= 0 else _core.current_device()
    return Event._from_native(number, device)


def _event_number(event: object) -> int | None:
    """The driver's handle; None for an object that is unknown as an event."""
    if isinstance(event, type):
        return None
    if not hasattr(event, "cuda_event"):
        if hasattr(event, "ptr") and hasattr(event, "done"):
            return _integer(getattr(event, "ptr"))  # noqa: B009
        if hasattr(event, "handle") and (hasattr(event, "is_done") or hasattr(event, "elapsed_time")):
            handle = getattr(event, "handle")  # noqa: B009
            return _integer(getattr(handle, "value", handle))
        return None
    return _integer(getattr(event, "cuda_event"))  # noqa: B009


def _integer(number: Any) -> int | None:
    if isinstance(number, (str, bytes, bool)):
        return None
    try:
        return int(number)
    except (TypeError, ValueError):
        return None


def get_stream_from_external(data_ptr: int | StreamLike, device: DeviceLike = None) -> generic.Stream:
    """ExternalStream(data_ptr, device). data_ptr may also be another library's stream object, which is kept alive."""
    if isinstance(data_ptr, int):
        return ExternalStream(data_ptr, device)
    return as_stream(data_ptr, device=device, name="data_ptr")


def to_dlpack(stream: StreamLike) -> int | None:
    """The number for the stream argument of __dlpack__(): 1 default, 2 per-thread, else the handle.

    None for a stream of a backend whose devices have no streams in DLPack: the host backend.
    """
    stream = as_stream(stream)
    backend = stream.device_type
    if backend not in _has_dlpack_streams:
        _has_dlpack_streams[backend] = _later.load("_backends").special(backend).has_dlpack_streams
    if not _has_dlpack_streams[backend]:
        return None
    return _core.gs_stream_native(stream) or LEGACY


def from_dlpack(number: int | None, device: DeviceLike = None) -> Stream | None:
    """The stream for the number that a consumer passes to __dlpack__(). -1 gives None: the producer skips the ordering.

    Raises:
        ValueError: 0, which DLPack forbids as ambiguous, or another negative number.
        TypeError: no number.
    """
    if number is None:
        return _core.default_stream(device)
    return None if number == -1 else _wrap(number, device, "DLPack")


def to_cuda_array_interface(stream: StreamLike) -> int:
    """The "stream" entry of __cuda_array_interface__ (version 3): 1 default, 2 per-thread, else the handle."""
    return _core.gs_stream_native(as_stream(stream)) or LEGACY


def from_cuda_array_interface(number: int | None, device: DeviceLike = None) -> Stream | None:
    """The stream for the "stream" entry. The entry None says that the data is ready, and is returned.

    Raises:
        ValueError: 0, which the interface forbids as ambiguous, or a negative number.
        TypeError: no number.
    """
    if number is None:
        return None
    return _wrap(number, device, "__cuda_array_interface__")


def _wrap(number: int, device: DeviceLike, protocol: str) -> Stream:
    if isinstance(number, bool) or not isinstance(number, int):
        raise TypeError(f"argument 'number' must be int or None, not {type(number).__name__}")
    if number <= 0:
        raise ValueError(f"{protocol} has no stream number {number}")
    if number == LEGACY:
        return _core.default_stream(device)
    return ExternalStream(number, -1 if number == PER_THREAD and device is None else device)


def lead(*libraries: str) -> Switch:
    """Make other libraries' current streams go with gpustream's, on every thread: `with stream:` moves theirs too.

    It holds until the result's end() is called, or, used as `with lead("torch"):`, until the block ends. Nothing changes at
    once: a stream that is made current from then on is current in each library as well, and what they had comes back when
    the block of the stream ends.

    Args:
        libraries: "torch" (2.10 or later), "tvm_ffi", "executorch", "cupy", or the name of a bridge that was registered.

    Raises:
        gpustream.UnavailableError: the library is not loaded in this process, or too old; reason says which.
        gpustream.InvalidArgumentError: there is no bridge of that name.
        gpustream.NotSupportedError: the library's stream cannot be set.

    If one fails, none is led. See gs_bridge_lead() in gpustream.h.
    """
    switch: Switch = _later.load("_bridges").lead(libraries)
    return switch


def follow(library: str) -> Switch:
    """Make gpustream's current stream go with another library's, on every thread: current_stream() asks it at each call.

    It holds until the result's end() is called, or, used as a context manager, until the block ends. One library can be
    followed at a time.

    Raises:
        gpustream.UnavailableError: the library is not loaded in this process; reason says why it cannot be used.
        gpustream.InvalidArgumentError: there is no bridge of that name, or another library is followed.

    See gs_bridge_follow() in gpustream.h.
    """
    switch: Switch = _later.load("_bridges").follow(library)
    return switch


def register_bridge(bridge: Bridge) -> None:
    """Make a library known that keeps a current stream of its own, by an object with a name and these methods:

        get(device_index) -> int            the raw handle of the library's current stream on this thread
        set(device_index, handle)           make a stream current there; may be missing: the library can only be followed
        set_device(device_index)            make a device current; may be missing

    They are called on any thread, and not once the interpreter exits. What one raises goes to sys.unraisablehook, and the call
    that needed it raises DriverError. Inside them the current stream and device of gpustream cannot be asked for or changed.

    Raises:
        gpustream.InvalidArgumentError: the name is empty, too long or taken.
        TypeError: get, set or set_device is not callable.
        gpustream.OutOfMemoryError: 8 bridges are registered.
    """
    _later.load("_bridges").register(bridge)


def unregister_bridge(name: str) -> None:
    """End a bridge. Leading and following it end first. Blocks until no thread is inside its functions.

    Raises gpustream.InvalidArgumentError: there is no bridge of that name.
    """
    _later.load("_bridges").unregister(name)


def share_pool(library: str, pool: MemPool | None = None) -> None:
    """Make "torch", "cupy" or "rmm", which is imported, allocate from gpustream's pools, until the process ends.

    PyTorch must not have allocated on a GPU yet; RMM changes for the current device. What does not fit raises MemoryError in
    CuPy and RMM; PyTorch does not look: its tensor has the address 0. docs/guide/interop/one-pool.md says what is lost.

    Args:
        pool: from which all such libraries allocate, on all devices; None: what was given before, else the thread's current one.

    Raises:
        gpustream.InvalidArgumentError: no such library. ModuleNotFoundError: it is not installed. TypeError: pool is no MemPool.
        gpustream.NotSupportedError: the default backend is not CUDA's. RuntimeError: PyTorch's, if it has allocated before.
    """
    _later.load("_share_pool").share(library, pool)


def dlpack_current_work_stream() -> int:
    """The address (int) of a C function for the field current_work_stream of a DLPackExchangeAPI: an array library that puts it
    into its __dlpack_c_exchange_api__ works in gpustream's current stream. It sets the exception that the table demands."""
    return _core.dlpack_function()


def hook(stream: Any, name: str) -> generic.Stream:
    """Hook: a foreign stream where a stream is expected."""
    return as_stream(stream, name=name)


def event_hook(event: Any, device: int) -> generic.Event | None:
    """Hook: a foreign event that a stream of a device shall wait for; None for an unknown kind of object."""
    if _event_number(event) is None:
        return None
    return as_event(event, device=_device_of(event) if _device_of(event) >= 0 else device)
