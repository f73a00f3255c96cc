# SPDX-License-Identifier: Apache-2.0
"""Streams and events of any backend, as torch.Stream and torch.Event are. gpustream.Stream and gpustream.Event derive
from them. The hot calls are in the extension (bindings/python/native); here is everything else."""
from __future__ import annotations

from gpustream import _later
from gpustream._backend_names import BACKENDS
from gpustream._devices import number_or_negative
from gpustream._extend import Owner, as_class, extend, never_raises
from gpustream._ipc import remember
from gpustream._load import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from typing import Any, SupportsIndex

    from typing_extensions import Self

    from gpustream._stream_flags import StreamFlags
    from gpustream._types import DeviceLike

__all__ = ["Event", "Stream"]


@extend
class Stream(_core.generic.Stream, Owner):
    """Stream(device=None, *, priority=0, shared=False, blocking=False, dedicated=False)
    Stream(stream_id, device_index, device_type, *, priority=0)

    A stream of any backend: an ordered queue of device work.

    Args:
        device: where: an int, a name ("cuda", "cuda:1", "host:0"), an object with .index; None or any negative number:
            the current device.
        priority, shared, blocking, dedicated: as gpustream.Stream has them.
        stream_id, device_index, device_type: name a live stream by the attributes of the same names.

    Raises:
        gpustream.InvalidDeviceError: there is no such device.
        gpustream.InvalidHandleError: no live stream has that id.
        gpustream.UnavailableError: the backend cannot be used here.

    The stream ends with its last Python reference; work submitted is still done. Does not block, but for the first use
    of a device. See gs_stream_create() in gpustream.h.
    """

    __slots__ = ()
    _what = "a stream is a queue of this process's driver"
    _way_out = "in another process, create a stream and wait for an interprocess Event"

    def set_name(self, name: str | None) -> None:
        """Set the name that errors and reports of the checker show; the first 63 bytes count. None removes the name.

        Raises TypeError: it is no str. See gs_stream_set_name() in gpustream.h.
        """
        _core.gs_stream_set_name(self, name)

    def explain(self) -> str:
        """Why the stream is not done: what it waits for, and where that leads, as text for people.

        A line with the way from the stream down to what nothing else holds up, and below it the stream's last operations if
        GPUSTREAM_LOG keeps them: what check.dump() writes about this stream. No driver is asked. Does not block. See
        gs_explain_wait() in gpustream.h.
        """
        text, needed = _core.gs_explain_wait(self, 1024)
        while needed > len(text.encode()) + 1:
            text, needed = _core.gs_explain_wait(self, needed)
        return text  # type: ignore[no-any-return]

    @property
    def flags(self) -> StreamFlags:
        """What kind of stream it is (StreamFlags): BLOCKING for every one that joins the default stream's order."""
        return _later.load("_stream_flags").StreamFlags(self._flags)  # type: ignore[no-any-return]

    @property
    def is_default(self) -> bool:
        """Whether this is its device's default stream, under any of the driver's names for it (bool)."""
        return _core.gs_stream_id(self) == 0

    @property
    def is_per_thread(self) -> bool:
        """Whether this is a per-thread default stream, which is another stream on each thread (bool)."""
        return _core.gs_stream_id(self) == 2

    @staticmethod
    def priority_range(device: DeviceLike = None) -> tuple[int, int]:
        """(least, greatest): the numbers of the lowest and the highest priority of a device; least is 0.

        On CUDA creates the device's primary context if there is none: the driver reports the range only inside one.

        Raises gpustream.InvalidDeviceError.
        """
        _core.start()
        least, greatest = _core.gs_device_priority_range(-1 if device is None else number_or_negative(device))
        return least, greatest

    def add_done_callback(self, fn: Callable[[], object]) -> None:
        """Call fn() after the work submitted so far is done, without holding the stream.

        It runs once, on a thread of the package that serves all callbacks: in the order of the work, across streams, too.
        It may query and submit work, but not synchronize (NotPermittedError). What it raises goes to
        sys.unraisablehook. If the work fails, fn is not called, and the failure goes there.

        synchronize() of a stream, event or device returns only after the callbacks whose work was done by then have
        returned. Callbacks whose work is not done when the interpreter exits are dropped.

        Raises:
            TypeError: fn is not callable.
            gpustream.CapturingError: the stream is being captured.

        Does not block. See gs_stream_notify() in gpustream.h.
        """
        _later.load("_callbacks").add(self, fn)

    def launch_host(self, fn: Callable[[], object]) -> None:
        """Call fn() when the work submitted so far is done; later work of the stream waits until fn has returned.

        It runs once, on the thread that serves callbacks; what it raises goes to sys.unraisablehook. Nothing is called after
        a failure of the stream's work. In a capture that this package began, fn becomes a node: it is called at each
        launch of the graph, which keeps it.

        fn must not call CUDA, nor wait for anything that waits for this stream; calls of gpustream that could wait raise
        NotPermittedError. It needs the GIL: while it is
        awaited, code that keeps the GIL inside a call that waits for the stream (a library that synchronizes without
        releasing it) never returns. Calls of this package release the GIL as long as there are such functions.
        add_done_callback() is without this danger.

        Raises:
            TypeError: fn is not callable.
            gpustream.CapturingError: the stream's capture was broken, or began elsewhere.

        Does not block. See gs_stream_launch_host() in gpustream.h.
        """
        _later.load("_callbacks").launch(self, fn)

    def defer(self, fn: Callable[[], object]) -> None:
        """Call fn() some time after the work submitted so far is done: to give back what the work uses.

        Cheaper than add_done_callback(), and later: functions are collected, and run when the stream gets more work and
        has done what it had, or in _trim(). It runs once on the thread that serves callbacks, also if the work fails;
        synchronize() does not wait for it, and at exit it is not called. While the stream is being captured it runs when the graph and
        its launches have ended.

        Raises:
            TypeError: fn is not callable.
            gpustream.NotSupportedError: the stream is being captured, and the driver's graphs cannot keep objects.

        Does not block. See gs_stream_defer() in gpustream.h.
        """
        _later.load("_callbacks").defer(self, fn)

    def keep(self, thing: object) -> None:
        """Keep an object alive until the work submitted so far is done, as torch's record_stream() does for tensors: memory that
        the work uses, for instance.

        It is released as deferred functions are, and on the main thread, between two of its instructions, if it runs Python
        code then. While the stream is being captured the graph keeps it.

        Does not block. See gs_stream_defer() in gpustream.h.
        """
        _core.stream_keep(self, thing)

    def __await__(self) -> Generator[Any, Any, None]:
        """`await stream`: until the work submitted so far is done, in asyncio or trio.

        A task that is cancelled no longer waits; the work goes on. Raises what the work failed with, and
        gpustream.CapturingError while the stream is being captured.
        """
        return _later.load("_await").until_done(self)  # type: ignore[no-any-return]

    @never_raises
    def __repr__(self) -> str:
        _, index, type_ = _core.gs_stream_pack(self)
        return f"gpustream.generic.Stream device_type={BACKENDS[type_]}, device_index={index}, stream_id={self.stream_id}"


@extend
class Event(_core.generic.Event, Owner):
    """Event(device=None, *, enable_timing=True, blocking=False, interprocess=False, external=False)

    An event for streams of any backend: a marker in a stream that others can wait for.

    Args:
        device: only its type counts: streams of another backend are then refused; None: no restriction.
        enable_timing: take time stamps; unless given, on, and off where interprocess is on.
        blocking: synchronize() sleeps instead of spinning.
        interprocess: the event can be given to other processes.
        external: in a graph capture, record and wait become nodes of the graph.

    No device is touched before the first record. See gs_event_create() in gpustream.h.
    """

    __slots__ = ()
    _what = "an event is an object of this process's driver"
    _way_out = "for another process create it with interprocess=True and send its ipc_handle()"

    def set_name(self, name: str | None) -> None:
        """Set the name that errors and reports of the checker show; the first 63 bytes count. None removes the name.

        Raises TypeError: it is no str. See gs_event_set_name() in gpustream.h.
        """
        _core.gs_event_set_name(self, name)

    def ipc_handle(self) -> bytes:
        """64 bytes by which another process on this machine opens the event (bytes; they can be pickled).

        An event not recorded yet is bound to the current device. This process keeps the event while others use it.

        Raises:
            gpustream.InvalidArgumentError: the event lacks interprocess=True, or has enable_timing=True as well.
            gpustream.NotSupportedError: the device has no interprocess events, or another process made the event.

        Does not block. See gs_event_ipc_export() in gpustream.h.
        """
        _core.may_export(self)
        _core.start()
        return _core.gs_event_ipc_export(self)

    @classmethod
    def from_ipc_handle(cls, device: DeviceLike, handle: bytes | bytearray | memoryview) -> Self:
        """Open an event that another process exported.

        Args:
            device: the device, physically the exporter's; None or any negative number: the current one.
            handle: the 64 bytes of ipc_handle().

        Raises:
            TypeError, ValueError: handle is not bytes, has another length or is no exported event.
            gpustream.DeviceMismatchError: it was exported from another device.
            gpustream.NotSupportedError: this very process exported it.
            gpustream.PeerLostError: the exporter is gone.

        Does not block, but for the first use of the device. See gs_event_ipc_open() in gpustream.h.
        """
        _core.start()
        event: Self = as_class(cls, _core.gs_event_ipc_open(number_or_negative(device), handle))  # type: ignore[arg-type]
        remember(event, bytes(handle))
        return event

    def elapsed_ns(self, end_event: Event) -> int:
        """The time from this event's record to another's, in nanoseconds (int); negative if that was recorded earlier.

        elapsed_time() in whole nanoseconds; raises as it does. Does not block.
        """
        return round(self.elapsed_time(end_event) * 1e6)

    async def elapsed_ns_async(self, end_event: Event) -> int:
        """`await start.elapsed_ns_async(end)`: elapsed_ns() once both records are complete, in asyncio or trio.

        Raises as elapsed_time() and `await event`.
        """
        await self
        await end_event
        return self.elapsed_ns(end_event)

    def __sub__(self, start: object) -> float:
        """`end - start`: the time between the two records in milliseconds (float), as start.elapsed_time(end)."""
        if not isinstance(start, _core.generic.Event):
            return NotImplemented
        return start.elapsed_time(self)

    def host_time(self) -> tuple[int, int]:
        """(time, error): when the work that the event covers was done, by the clock of time.monotonic_ns(), and how many
        nanoseconds the true time may lie before or after.

        calibrate() must have compared the device's clock with the host's before.

        Raises:
            gpustream.InvalidArgumentError: the device was never calibrated.
            gpustream.TimingDisabledError, gpustream.NotRecordedError: the event has no time.
            gpustream.NotReadyError: its work is not done yet.

        Does not block. See gs_event_time_ns() in gpustream.h.
        """
        at, error = _core.gs_event_time_ns(self)
        return at, error

    @classmethod
    def _from_native(cls, native: SupportsIndex, device: DeviceLike = None) -> Self:
        """Wrap a cudaEvent_t (int) that stays its owner's, who keeps it alive. See gs_event_from_native()."""
        _core.start()
        return as_class(cls, _core.gs_event_from_native(number_or_negative(device), native))  # type: ignore[no-any-return]

    def __await__(self) -> Generator[Any, Any, None]:
        """`await event`: until the record that the event has now is complete, in asyncio or trio.

        At once if there is no record. A task that is cancelled no longer waits. Raises what the work failed with, and
        gpustream.CapturingError for a record in a capture.
        """
        return _later.load("_await").until_done(self)  # type: ignore[no-any-return]

    @never_raises
    def __repr__(self) -> str:
        type_, index = (device.type, device.index) if (device := self.device) else (None, None)
        return (f"gpustream.generic.Event device_type={type_}, device_index={index}, event_flag={self._flags}, "
                f"event_id={self.event_id}")
