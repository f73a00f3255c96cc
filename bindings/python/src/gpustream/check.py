# SPDX-License-Identifier: Apache-2.0
"""The ordering checker: accesses to memory that nothing orders, found on any backend and at any timing.

    gpustream.check.start()
    with gpustream.check.access(reads=[a], writes=[b], stream=s):
        kernel(s, a, b)

Copies, fills, allocations and frees of the library are known without being declared. Or set GPUSTREAM_CHECK=report, or abort,
in the environment. docs/guide/debugging.md explains a report. dump() is for a program that hangs.
"""
from __future__ import annotations

import ctypes
import json
import os
from _thread import get_ident  # threading itself makes the import slow
from typing import TYPE_CHECKING

from gpustream import _where
from gpustream._extents import extent, is_memory
from gpustream._load import _core
from gpustream._native_callback import NativeCallback
from gpustream.errors import fail
from gpustream.interop import as_stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from gpustream._types import StreamLike

_callback = NativeCallback(_core.gs_set_check_callback, ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p))


def start(*, abort: bool = False, stacks: bool = False) -> None:
    """Turn the checker on, for the whole process.

    Args:
        abort: whether the process is aborted after the first report.
        stacks: whether each access keeps the call stack of its thread in C; Python's line is the label in any case.

    Raises gpustream.SystemCallError, gpustream.InvalidArgumentError: a file that the environment names cannot be used. See
    gs_check_start() in gpustream.h.
    """
    _core.gs_check_start((_core.GS_CHECK_ABORT if abort else 0) | (_core.GS_CHECK_STACKS if stacks else 0))


def stop() -> None:
    """Turn the checker off; it forgets what it knows. See gs_check_stop() in gpustream.h."""
    _core.gs_check_stop()


def set_callback(fn: Callable[[str, dict[str, Any]], object] | None) -> None:
    """Set the function that receives reports, as fn(text, report); None: they are written to stderr.

    It runs on the thread whose access completed the race, inside its call, and may not call gpustream but for what
    host functions may. report is the same as text, as a dict: "earlier" and "later" with "stream_name", "label" and so on. What it
    raises goes to sys.unraisablehook. atexit takes it back. See gs_set_check_callback() in gpustream.h.

    Raises TypeError: fn is not callable.
    """
    if fn is not None and not callable(fn):
        raise TypeError(f"argument 'fn' must be callable, not {type(fn).__name__}")
    _callback.set(None if fn is None else lambda _argument, text, report: fn(text.decode(), json.loads(report)))


def _declare(call: Callable[..., None], stream: StreamLike | None, memory: Any, name: str, label: str) -> None:
    target = _core.current_stream() if stream is None else as_stream(stream)
    call(target, *extent(memory, name), label)


def read(memory: Any, stream: StreamLike | None = None, label: str | None = None) -> None:
    """Declare that the work submitted to the stream at this place reads the memory.

    Args:
        memory: an object with __cuda_array_interface__, __array_interface__, __dlpack__() or a buffer, or (address, bytes). All
            bytes from its first element to its last one count.
        stream: None: the current stream.
        label: for reports; None: the caller's file, line and function.

    Raises TypeError: no memory or no stream. Does not block. See gs_check_read() in gpustream.h.
    """
    _declare(_core.gs_check_read, stream, memory, "memory", label or _where.calling_line(1))


def write(memory: Any, stream: StreamLike | None = None, label: str | None = None) -> None:
    """Declare that the work submitted to the stream at this place writes the memory, and possibly reads it.

    As read(). See gs_check_write() in gpustream.h.
    """
    _declare(_core.gs_check_write, stream, memory, "memory", label or _where.calling_line(1))


def _descriptor(file: Any) -> int:
    """The descriptor of what the caller keeps until the text is written: a file that nothing else refers to is closed with its last reference."""
    if isinstance(file, int):
        return file
    getattr(file, "flush", int)()
    number: int = file.fileno()
    return number


def dump(file: Any = 2) -> None:
    """Write what each stream waits for, and its last operations if GPUSTREAM_LOG is set, as text for people.

    No driver is asked. GPUSTREAM_DUMP_SIGNAL=10 does the same at SIGUSR1, also while Python is inside a call that hangs.

    Args:
        file: a file descriptor, or an object with fileno(), which is flushed first if it can be.

    Raises gpustream.SystemCallError: a write failed. gpustream.InvalidArgumentError: the descriptor is negative. See gs_dump() in
    gpustream.h.
    """
    _core.gs_dump(_descriptor(file))


def dump_log(path: str | os.PathLike[str], file: Any = 2) -> None:
    """Write what the log file of a process says of its streams, as text for people; the process may have ended.

    GPUSTREAM_LOG_FILE=PATH makes a process keep its log in that file. `gpustream explain` does the same from a shell.

    Args:
        path: the log file.
        file: as for dump().

    Raises gpustream.InvalidArgumentError: it is no log of this version of gpustream. gpustream.SystemCallError: the file cannot be
    read, or a write failed. See gs_dump_log() in gpustream.h.
    """
    _core.gs_dump_log(os.fspath(path), _descriptor(file))


def _several(given: Any) -> list[Any]:
    """What reads= or writes= lists, or the one memory that it is: the elements of an array would be memory of their own."""
    return [given] if is_memory(given) else list(given)


class access:
    """access(reads=(), writes=(), stream=None, label=None): a block that submits work with these accesses.

    reads and writes list memory as read() takes it, or are one such object.

    They are declared when the block begins; `stream` None: the stream that is current then. A race is reported before the
    block's work is submitted.
    """

    __slots__ = ("_reads", "_writes", "_stream", "_label")

    def __init__(self, reads: Iterable[Any] = (), writes: Iterable[Any] = (), stream: StreamLike | None = None,
                 label: str | None = None) -> None:
        self._reads, self._writes, self._stream = _several(reads), _several(writes), stream
        self._label = label

    def __enter__(self) -> None:
        label = self._label or _where.calling_line(1)
        for memory in self._reads:
            _declare(_core.gs_check_read, self._stream, memory, "reads", label)
        for memory in self._writes:
            _declare(_core.gs_check_write, self._stream, memory, "writes", label)

    def __exit__(self, *exception: object) -> None:
        pass


class Clock:
    """What threads that share a lock tell each other about completed work.

    A thread that has synchronized calls handover() before it lets another thread go on, and that one after it has been told; the
    checker cannot see locks, queues and events of Python.
    """

    __slots__ = ("_number",)

    def __init__(self) -> None:
        self._number = 0

    def handover(self) -> None:
        """The calling thread learns what earlier callers knew, and leaves what it knows. See gs_check_handover() in gpustream.h."""
        self._number = _core.gs_check_handover(self._number)


class forbid_sync:
    """forbid_sync(): a block in which the calling thread may not wait for device work: calls that would raise SyncForbiddenError.

    Several blocks of a thread may end in any order, as those of tasks do: waits are allowed again once all have ended. See
    gs_forbid_sync() in gpustream.h.

    Raises:
        gpustream.ScopeError: on leaving: the block began on another thread, which still may not wait.
    """

    __slots__ = ("_thread",)

    def __enter__(self) -> None:
        here = _where.forbidding
        previous = _core.gs_forbid_sync(1)
        if here.open == 0:
            here.before = previous
        here.open += 1
        here.place = _where.line(1)
        self._thread = get_ident()

    def __exit__(self, *exception: object) -> None:
        if self._thread != get_ident():
            raise fail(_core.GS_ERROR_SCOPE, "forbid_sync() ends on another thread than it began on, which still may not wait")
        here = _where.forbidding
        here.open -= 1
        if here.open == 0:
            _core.gs_forbid_sync(here.before)


__all__ = ["Clock", "access", "dump", "dump_log", "forbid_sync", "read", "set_callback", "start", "stop", "write"]
