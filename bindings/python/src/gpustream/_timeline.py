# SPDX-License-Identifier: Apache-2.0
"""gpustream.Timeline: a number that only grows, which streams and threads signal and wait for, in any order."""
from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

from gpustream import _owned
from gpustream._extend import Owner
from gpustream._load import _core
from gpustream._queue import in_slices, nanoseconds
from gpustream.interop import _optional

if TYPE_CHECKING:
    from typing import Any

    from typing_extensions import Self

    from gpustream._types import DeviceLike, StreamLike


class Timeline(Owner):
    """Timeline(initial=0, device=None, *, signal_first=False): a number that only grows.

    Streams and threads signal it, which raises it to a value, and wait until it has reached one. A wait may come before its
    signal is submitted, or known.

    `with Timeline() as timeline:` closes it at the end of the block.

    Args:
        initial: its first value, below 2**63 - 1.
        device: in whose name its memory is registered; None: the current device. Streams of all devices of that backend may
            use it.
        signal_first: a stream may wait only for a signal that is submitted already. signal() is then one driver call less, and
            value asks the driver, so it cannot be read in host functions.

    Raises:
        gpustream.InvalidArgumentError: initial is out of range.
        gpustream.InvalidDeviceError: there is no such device.
        gpustream.NotSupportedError: the driver cannot register host memory, or the device's streams cannot wait for it and
            signal_first is False.

    Does not block, but for the first use of a device. See gs_timeline_create() in gpustream.h.
    """

    __slots__ = ("__weakref__", "_handle")
    _what = "a timeline belongs to this process"
    _way_out = "a Token orders streams of several"

    _handle: int

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """What __del__ needs, however __init__ ends."""
        self = super().__new__(cls)
        self._handle = 0
        return self

    def __init__(self, initial: SupportsIndex = 0, device: DeviceLike = None, *, signal_first: bool = False) -> None:
        self.close()
        self._handle = _core.gs_timeline_create(device, initial, _core.GS_TIMELINE_SIGNAL_FIRST if signal_first else 0)

    @classmethod
    def from_fd(cls, device: DeviceLike, fd: SupportsIndex, type: SupportsIndex = _core.GS_FD_VULKAN_TIMELINE) -> Self:
        """Make a timeline of a semaphore that another API, as Vulkan, has exported as a file descriptor.

        Streams of the device signal it and wait for it; threads can do neither, so value, set() and synchronize() raise
        NotSupportedError. Values must be above all that either side has signalled.

        Args:
            device: where the other API has made it.
            fd: the file descriptor. Afterwards it is the driver's, and must not be closed; after an exception it is still yours.
            type: what the file descriptor stands for: GS_FD_VULKAN_TIMELINE or GS_FD_D3D12_FENCE of the flat layer.

        Raises:
            gpustream.InvalidArgumentError: fd is no such semaphore, or type is unknown.
            gpustream.NotSupportedError: the backend, the driver or the device has no such semaphores.

        Does not block, but for the first use of a device. See gs_timeline_from_fd() in gpustream.h.
        """
        self = cls.__new__(cls)
        self._handle = _core.gs_timeline_from_fd(device, type, fd)
        return self

    @property
    def handle(self) -> int:
        """The gs_timeline_t (int), for ctypes calls into libgpustream itself; 0: closed."""
        return self._handle

    @property
    def value(self) -> int:
        """The value now (int). Raises the exception of the status that abort() was given, once it was aborted."""
        return _core.gs_timeline_value(self._handle)

    def signal(self, value: SupportsIndex, stream: StreamLike | None = None) -> None:
        """Have a stream raise the timeline when its work so far is done.

        Args:
            value: above the timeline's, below 2**63 - 1. Signals happen in the order of their values.
            stream: None: the current stream.

        Raises:
            gpustream.InvalidArgumentError: value cannot keep that order, or was submitted already.
            gpustream.DeadlockError: a circle of streams would wait for each other; the text names it. Nothing was submitted.
            gpustream.CapturingError: the stream is being captured; the capture is left intact.
            gpustream.NotSupportedError: the stream belongs to another backend.
            gpustream.InvalidHandleError: the timeline or the stream was closed.

        Does not block. See gs_stream_signal_timeline() in gpustream.h.
        """
        _core.gs_stream_signal_timeline(_optional(stream), self._handle, value)

    def wait(self, value: SupportsIndex, stream: StreamLike | None = None) -> None:
        """Make a stream wait until the timeline has reached a value; the signal may come later, but for signal_first.

        Later work of the stream waits too. If the timeline is aborted or closed first, the stream goes on nevertheless.

        Args:
            value: below 2**63 - 1.
            stream: None: the current stream.

        Raises as signal(), but for DeadlockError. Does not block. See gs_stream_wait_timeline() in gpustream.h.
        """
        _core.gs_stream_wait_timeline(_optional(stream), self._handle, value)

    def set(self, value: SupportsIndex) -> None:
        """Raise the timeline at once, on this thread. Also in host functions of streams.

        Raises:
            gpustream.InvalidArgumentError: value is not above the timeline's, or would overtake a signal of a stream.
            gpustream.InvalidHandleError: the timeline was closed.

        Does not block. See gs_timeline_signal() in gpustream.h.
        """
        _core.gs_timeline_signal(self._handle, value)

    def synchronize(self, value: SupportsIndex, timeout: float | None = None) -> None:
        """Wait until the timeline has reached a value.

        Args:
            value: below 2**63 - 1.
            timeout: seconds; 0 only asks; None: no limit.

        Raises:
            gpustream.TimeLimitError: the value was not reached in that time.
            gpustream.AbortedError, or that of the status that abort() was given.
            gpustream.InvalidHandleError: the timeline was closed, maybe by another thread during the wait.
            KeyboardInterrupt: Ctrl-C on the main thread.

        Blocks; other Python threads run. See gs_timeline_synchronize() in gpustream.h.
        """
        timeout_ns = nanoseconds(timeout)
        _core.warn_of_wait()
        in_slices(timeout_ns, lambda slice_ns: _core.gs_timeline_synchronize(self._handle, value, slice_ns))

    def abort(self, status: SupportsIndex = _core.GS_ERROR_ABORTED) -> None:
        """End the timeline with a failure: streams that wait go on, and all calls raise the exception of status.

        Args:
            status: a member of Status that is a failure; ABORTED unless another one says more. The first one stays.

        Raises gpustream.InvalidArgumentError: calls cannot fail with this status. Does not block. See gs_timeline_abort() in
        gpustream.h.
        """
        _core.gs_timeline_abort(self._handle, status)

    def close(self) -> None:
        """Give the timeline up: streams that wait for it go on. A second call does nothing."""
        handle = _owned.take(self, "_handle", 0) if self._handle else 0
        if handle:
            _core.gs_timeline_destroy(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if _owned is not None:  # None: the interpreter has taken its modules apart
            self.close()

    def __repr__(self) -> str:
        return f"<gpustream.Timeline {f'{self._handle:#x}' if self._handle else 'closed'}>"
