# SPDX-License-Identifier: Apache-2.0
"""Waiting for several things, long waits of the main thread, and how threads wait."""
from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from gpustream._load import _core
from gpustream._queue import Queue, in_slices, left_of, nanoseconds, slice_of
from gpustream.errors import TimeLimitError, fail
from gpustream.interop import as_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Literal, TypeAlias

    from gpustream import generic
    from gpustream._types import StreamLike

    WaitMode: TypeAlias = Literal["driver", "spin", "block", "adaptive"]

_MODES: dict[WaitMode, int] = {
    "driver": _core.GS_WAIT_DRIVER, "spin": _core.GS_WAIT_SPIN, "block": _core.GS_WAIT_BLOCK, "adaptive": _core.GS_WAIT_ADAPTIVE,
}


def set_wait_mode(mode: WaitMode) -> None:
    """Set how all threads of the process wait in blocking calls; the initial mode is that of GPUSTREAM_WAIT.

    Args:
        mode: "driver": as the driver does (the default); "spin": the shortest delay, one processor per waiting thread; "block":
            the least load; "adaptive": sleeps for most of the time and spins shortly before the end.

    Raises gpustream.InvalidArgumentError: no such mode. Waits under way are not affected. See GS_OPTION_WAIT_MODE in gpustream.h.
    """
    number = _MODES.get(mode) if isinstance(mode, str) else None
    if number is None:
        raise fail(_core.GS_ERROR_INVALID_ARGUMENT, f"argument 'mode' must be one of {', '.join(_MODES)}, not {mode!r}")
    _core.gs_set_option(_core.GS_OPTION_WAIT_MODE, number)


def get_wait_mode() -> WaitMode:
    """How threads of the process wait in blocking calls: what set_wait_mode() set last (str)."""
    number = _core.gs_get_option(_core.GS_OPTION_WAIT_MODE)
    return next(word for word in _MODES if _MODES[word] == number)


def _events(works: Iterable[generic.Event | StreamLike]) -> list[generic.Event]:
    return [work if isinstance(work, _core.generic.Event) else as_stream(work, name="works").record_event() for work in works]


def wait_any(works: Iterable[generic.Event | StreamLike], timeout: float | None = None) -> int:
    """Wait until one of several works is done; returns its index (int), the first one's if several are.

    Args:
        works: streams (what was submitted so far) and events (the records that they have now), of any devices. An event that
            was never recorded counts as done.
        timeout: seconds; 0 only asks; None: no limit.

    Raises:
        gpustream.TimeLimitError: none was done in that time. Nothing changes, and the call may be repeated.
        gpustream.InvalidArgumentError: works is empty, or timeout is negative.
        TypeError: one of works is neither a stream nor an event.
        gpustream.CapturingError: one of them is part of a capture.
        gpustream.SyncForbiddenError: sync debug mode "error" with scope "all".
        KeyboardInterrupt: Ctrl-C on the main thread.

    What failed counts as done, and its failure is raised. Blocks; other Python threads run. See gs_event_synchronize_any()
    in gpustream.h.
    """
    events = _events(works)
    if not events:
        raise fail(_core.GS_ERROR_INVALID_ARGUMENT, "argument 'works' is empty: there is nothing to wait for")
    index: int = _wait(_core.gs_event_synchronize_any, events, nanoseconds(timeout), 1)
    return index


def wait_all(works: Iterable[generic.Event | StreamLike], timeout: float | None = None) -> None:
    """Wait until all of several works are done. The first failure ends the wait.

    Arguments and exceptions are those of wait_any(); works may be empty. See gs_event_synchronize_all() in gpustream.h.
    """
    events = _events(works)
    _wait(_core.gs_event_synchronize_all, events, nanoseconds(timeout), len(events))


def _wait(synchronize: Callable[[list[generic.Event], int], Any], events: list[generic.Event], timeout_ns: int, count: int) -> Any:
    """Until so many of the events are done: first in the library's own call, later as entries of a queue."""
    end = monotonic() + timeout_ns / 1e9
    first_ns = slice_of(timeout_ns)
    _core.warn_of_wait()
    try:
        return _core.call_after_warning(synchronize, events, first_ns)
    except TimeLimitError:
        if first_ns == timeout_ns:
            raise
    return _rest(events, left_of(end, timeout_ns), count)


def _rest(works: Sequence[generic.Event | generic.Stream], timeout_ns: int, count: int) -> int:
    """The index of the last of the first `count` works that are done."""
    end = monotonic() + timeout_ns / 1e9
    with Queue(len(works)) as queue:
        for index, work in enumerate(works):
            queue.add(work, index)
        for _ in range(count):
            entry = queue._wait(left_of(end, timeout_ns), 1)[0]
            if entry.error:
                works[entry.token].query()  # the driver's own words, if it says them again
                raise entry.error
    return entry.token


def long_wait(thing: generic.Stream | generic.Event | int, timeout_ns: int) -> None:
    """Goes on with a synchronizing call of the main thread, interruptibly. timeout_ns: what is left; negative: no limit.

    As an entry of a queue: what is waited for stays what it was, whatever others submit or record between two slices, and
    the thread that looks for completions naps longer the longer the work takes. A device has no entries: each slice
    asks again, so that work submitted by other threads in the meantime is waited for, too.
    """
    if isinstance(thing, int):
        in_slices(timeout_ns, lambda slice_ns: _core.gs_device_synchronize_for(thing, slice_ns))
    else:
        _rest([thing], timeout_ns, 1)
