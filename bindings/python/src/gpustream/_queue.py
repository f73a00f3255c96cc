# SPDX-License-Identifier: Apache-2.0
"""gpustream.Queue: reports when work is done, with its status, to any number of threads."""
from __future__ import annotations

import threading
from contextlib import suppress
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex

from gpustream import _owned
from gpustream._extend import Owner
from gpustream._load import _core
from gpustream.errors import Error, Status, TimeLimitError, fail, make
from gpustream.interop import as_stream

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from typing_extensions import Self

    from gpustream import Device, generic
    from gpustream._types import StreamLike

_SLICE_NS = 20_000_000  # how long a wait of the main thread is deaf to Ctrl-C


def slice_of(left_ns: int) -> int:
    """How long to wait at a time, of what is left (negative: no limit). Only the main thread handles signals."""
    if threading.get_ident() != threading.main_thread().ident:
        return left_ns
    return _SLICE_NS if left_ns < 0 or left_ns > _SLICE_NS else left_ns


def left_of(end: float, timeout_ns: int) -> int:
    """What is left of a limit whose end is given by the monotonic clock."""
    return timeout_ns if timeout_ns < 0 else max(0, int((end - monotonic()) * 1e9))


def in_slices(timeout_ns: int, wait: Callable[[int], None]) -> None:
    """Calls wait(nanoseconds) until no TimeLimitError ends it, or the time is over: signals are handled between two calls.

    Sync debug mode "warn" warns of the whole, which is the caller's to do, and of none of the calls.
    """
    end = monotonic() + timeout_ns / 1e9
    left = timeout_ns
    while True:
        slice_ns = slice_of(left)
        try:
            return _core.call_after_warning(wait, slice_ns)
        except TimeLimitError:
            if slice_ns == left:
                raise
        left = left_of(end, timeout_ns)


def nanoseconds(timeout: float | None) -> int:
    """A time limit as the library takes it: negative: none.

    Raises TypeError: it is no number. InvalidArgumentError: it is negative or not a number at all.
    """
    if timeout is None:
        return -1
    if isinstance(timeout, bool) or not hasattr(timeout, "__float__") and not hasattr(timeout, "__index__"):
        raise TypeError(f"argument 'timeout' must be a number of seconds or None, not {type(timeout).__name__}")
    seconds = float(timeout)
    if not seconds >= 0.0:
        raise fail(_core.GS_ERROR_INVALID_ARGUMENT, f"argument 'timeout' must be 0 or more seconds, not {timeout!r}")
    return -1 if seconds > 9e9 else -int(-seconds * 1e9 // 1)


class Completion(NamedTuple):
    """An entry of a Queue.

    Attributes:
        token (int): as it was added.
        status (Status): OK; CANCELLED; or how the work failed. A plain int if the library is newer than this package.
        device_number (int): the gs_device_t of the work's device; device is the object.
        native_code (int): the driver's code of a failure; 0 if there is none.
        time_ns (int): when the completion was seen, on the clock of time.monotonic_ns().
    """

    token: int
    status: int
    device_number: int
    native_code: int
    time_ns: int

    @property
    def device(self) -> Device:
        """The device of the work."""
        from gpustream._devices import of_number

        return of_number(self.device_number)

    @property
    def error(self) -> Error | None:
        """The exception that says how the work failed, or that the entry was cancelled; None if it is done."""
        if self.status == Status.OK:
            return None
        return make(self.status, 0, 0, self.native_code, "", "", "")


def _completion(entry: dict[str, Any]) -> Completion:
    status = entry["status"]
    known = Status(status) if status in Status._value2member_map_ else status
    return Completion(entry["token"], known, entry["device"], entry["native_code"], entry["time_ns"])


class Queue(Owner):
    """Queue(capacity=65536): delivers an entry for each stream or event that was added, when its work is done.

    Exactly one entry follows each add(), also if the work fails, the stream is closed or the device is lost. The order of
    entries agrees with happens-before: if the second work waits for the first one, the first entry comes first. Any thread
    may add and take entries; each goes to one of them.

    `with Queue() as queue:` closes it at the end of the block.

    Args:
        capacity: how many entries may be added and not yet taken.

    Raises:
        gpustream.InvalidArgumentError: capacity is 0.
        TypeError, OverflowError: capacity is no number, or is beyond 32 bits.

    Does not block. See gs_queue_create() in gpustream.h.
    """

    __slots__ = ("__weakref__", "_back", "_handle")
    _what = "a queue belongs to this process"
    _way_out = "create another one"

    _back: list[dict[str, Any]]  # what was taken by calls that Ctrl-C then ended
    _handle: int

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """What __del__ needs, however __init__ ends."""
        self = super().__new__(cls)
        self._back = []
        self._handle = 0
        return self

    def __init__(self, capacity: SupportsIndex = 65536) -> None:
        self.close()
        _core.start()
        self._handle = _core.gs_queue_create(capacity, 0)

    @property
    def handle(self) -> int:
        """The gs_queue_t (int), for ctypes calls into libgpustream itself; 0: closed."""
        return self._handle

    def add(self, work: generic.Event | StreamLike, token: SupportsIndex) -> None:
        """Have an entry delivered when work is done.

        Args:
            work: a stream: all that was submitted to it so far; an event: the record that it has now. Later work and records
                do not matter, and the object may be closed at once.
            token: any int of 64 bits, which comes back in the entry.

        Raises:
            gpustream.FullError: capacity entries wait to be taken; nothing was added.
            gpustream.CapturingError: the stream is being captured, or the event was recorded in a capture.
            gpustream.InvalidHandleError: the queue, the stream or the event was closed.
            TypeError: work is neither a stream nor an event.

        Does not block. See gs_queue_add_stream() and gs_queue_add_event() in gpustream.h.
        """
        if isinstance(work, _core.generic.Event):
            _core.gs_queue_add_event(self._handle, work, token)
        else:
            _core.gs_queue_add_stream(self._handle, as_stream(work, name="work"), token)

    def cancel(self, token: SupportsIndex) -> int:
        """Deliver the entries of a token now, with the status CANCELLED; returns how many (int). The work goes on."""
        return _core.gs_queue_cancel(self._handle, token)

    def wake(self) -> None:
        """Have threads that wait for entries return without one; if none waits, the next wait does."""
        _core.gs_queue_wake(self._handle)

    def poll(self, max_entries: SupportsIndex = 256) -> list[Completion]:
        """Take the entries that have come, oldest first, without waiting.

        Raises gpustream.InvalidHandleError: the queue was closed. InvalidArgumentError: max_entries is below 1. KeyboardInterrupt: as wait().
        """
        return self._take(_core.gs_queue_poll, max_entries)

    def wait(self, timeout: float | None = None, max_entries: SupportsIndex = 256) -> list[Completion]:
        """Wait for an entry, then take those that have come, oldest first. Empty after wake().

        Args:
            timeout: seconds; 0 only asks; None: no limit.
            max_entries: how many to take at most.

        Raises:
            gpustream.TimeLimitError: no entry came in that time.
            gpustream.InvalidArgumentError: max_entries is below 1, or timeout is negative.
            gpustream.InvalidHandleError: the queue was closed, maybe by another thread during the wait.
            gpustream.NotPermittedError: in a native callback of the library.
            KeyboardInterrupt: Ctrl-C on the main thread; no entry is lost, and other threads that wait may return as after wake().

        Blocks; other Python threads run. See gs_queue_wait() in gpustream.h.
        """
        return self._wait(nanoseconds(timeout), max_entries)

    def _wait(self, timeout_ns: int, max_entries: SupportsIndex = 256) -> list[Completion]:
        """In slices: signals are handled between two of them."""
        end = monotonic() + timeout_ns / 1e9
        left = timeout_ns
        while True:
            slice_ns = slice_of(left)
            try:
                entries = self._take(_core.gs_queue_wait, max_entries, slice_ns)
                if entries or not self._back:
                    return entries
            except TimeLimitError:
                if slice_ns == left:
                    raise
            left = left_of(end, timeout_ns)

    def _take(self, function: Callable[..., list[Any]], max_entries: SupportsIndex, *limit: int) -> list[Completion]:
        """A call of the library that takes entries. If Ctrl-C comes before they are returned, the next call takes them.

        Python handles signals when a function has returned, before its result goes anywhere. But what list.extend() does is one call.
        """
        if isinstance(max_entries, int) and max_entries < 1:
            raise fail(_core.GS_ERROR_INVALID_ARGUMENT, f"argument 'max_entries' must be at least 1, not {max_entries}")
        answers: list[Any] = []  # lists that begin with a list of entries
        try:
            if self._back:
                answers.extend(map(_core.gs_queue_poll, (self._handle,), (max_entries,)))  # which also ends the wake() below
                with _owned.lock:
                    waiting = self._back + answers[0][0]
                    answers, self._back = [[waiting[:max_entries]]], waiting[max_entries:]
            if not answers or not answers[0][0]:
                answers.extend(map(function, (self._handle,), (max_entries,), *[(each,) for each in limit]))
            return [_completion(entry) for answer in answers for entry in answer[0]]
        except BaseException:
            entries = [entry for answer in answers for entry in answer[0]]
            if entries:
                with _owned.lock:
                    self._back = entries + self._back
            if self._back:  # maybe from before, and the poll has ended the wake() for them
                with suppress(Error):  # the queue was closed
                    self.wake()  # threads that wait for entries, and readers of the descriptor
            raise

    def fileno(self) -> int:
        """A file descriptor that is readable while entries wait, for select, epoll and event loops. Never read, write or
        close it. See gs_queue_fd() in gpustream.h."""
        return _core.gs_queue_fd(self._handle)

    def close(self) -> None:
        """Give the queue up: entries not taken are dropped, threads that wait get InvalidHandleError. A second call does nothing."""
        handle = _owned.take(self, "_handle", 0) if self._handle else 0
        if handle:
            self._back = []
            _core.gs_queue_destroy(handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if _owned is not None:  # None: the interpreter has taken its modules apart
            self.close()

    def __repr__(self) -> str:
        return f"<gpustream.Queue {f'{self._handle:#x}' if self._handle else 'closed'}>"
