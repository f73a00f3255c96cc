# SPDX-License-Identifier: Apache-2.0
"""Traces: what streams were given, what orders it, and the program's ranges, as a file for Perfetto, a page or a picture.

    with gpustream.trace.Trace() as trace:
        with gpustream.nvtx.range("step"):
            step()
    trace.write("step.json")    # or .html, .svg

Ranges and marks are those of gpustream.nvtx. The trace is the process's: one at a time. docs/guide/tracing.md explains what it shows.
"""
from __future__ import annotations

import contextlib
import ctypes
import json
import os
import time
from typing import TYPE_CHECKING

from gpustream._load import _core
from gpustream._native_callback import NativeCallback, written
from gpustream._trace_merge import merged
from gpustream.errors import ScopeError, fail

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from typing_extensions import Self

    from gpustream._trace_merge import Document

_callback = NativeCallback(_core.gs_set_trace_callback, ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_uint64, ctypes.c_char_p))
_last = 0  # the number of the trace that Python code has begun last

_KINDS = ("record", "wait", "wait_stream", "work", "launch", "host_function", "signal", "wait_timeline", "wait_value", "copy", "fill", "malloc",
          "free", "event_done", "stream_done", "timeline_done", "host_signal", "range_push", "range_pop", "range_start", "range_end", "mark")


def _options(device_times: bool, operations: int) -> dict[str, Any]:
    return {"flags": _core.GS_TRACE_DEVICE_TIMES if device_times else 0, "operations": operations}


def _begin(options: dict[str, Any]) -> int:
    global _last
    _last = number = _core.gs_trace_begin(options)
    return number


def _end(number: int) -> None:
    with contextlib.suppress(ScopeError):  # it has ended
        _core.gs_trace_end(number)


def start(*, device_times: bool = False, operations: int = 0) -> None:
    """Start a trace. What the one before had kept is forgotten.

    Args:
        device_times: whether ranges are also timed on the device, in the streams that get their work.
        operations: of each thread that are kept; older ones are dropped and counted. 0: 16384.

    Raises gpustream.NotPermittedError: a trace is running. gpustream.InvalidArgumentError: operations is above 1048576. See gs_trace_begin()
    in gpustream.h.
    """
    _begin(_options(device_times, operations))


def stop() -> None:
    """Stop the trace, which can still be written; without one that Python code has started it does nothing. See
    gs_trace_end() in gpustream.h."""
    _end(_last)


def text() -> str:
    """The trace as JSON. Waits only with device_times, to compare clocks.

    Raises gpustream.NotRecordedError: no trace was started. See gs_trace_write() in gpustream.h.
    """
    return written(_core.gs_trace_write, 0)


def write(path: str | os.PathLike[str], torch: str | os.PathLike[str] | None = None) -> None:
    """Write the trace to a file.

    Args:
        path: .json for Perfetto and other viewers, .html for a page that needs nothing else, .svg for a picture.
        torch: a file that torch.profiler's export_chrome_trace() wrote in this boot of the machine, which the trace is joined with: one
            timeline, its events unchanged.

    Raises ValueError: another ending, or torch's file is no trace. OSError: a file cannot be read or written.
    gpustream.NotRecordedError: no trace was started.
    """
    _write(0, path, torch)


def _write(number: int, path: str | os.PathLike[str], torch: str | os.PathLike[str] | None) -> None:
    document = json.loads(written(_core.gs_trace_write, number))
    if torch is not None:
        with open(torch, encoding="utf-8") as file:
            document = merged(document, json.load(file), time.time_ns() - time.monotonic_ns())
    _save(document, os.fspath(path))


def _save(document: Document, path: str) -> None:
    from gpustream import _trace_page

    forms: dict[str, Callable[[Document], str]] = {".json": json.dumps, ".html": _trace_page.page, ".svg": _trace_page.picture}
    as_text = forms.get(os.path.splitext(path)[1])
    if as_text is None:
        raise ValueError(f"a trace is written as .json, .html or .svg, not as {path!r}")
    drawn = as_text(document)  # before the file is emptied
    with open(path, "w", encoding="utf-8") as file:
        file.write(drawn)


def set_callback(fn: Callable[[str, int, int, int, str | None], object] | None) -> None:
    """Set the function that hears of each operation, as fn(kind, stream, object, value, text). None removes the function.

    kind is "record", "wait", "wait_stream", "work", "launch", "host_function", "signal", "wait_timeline", "wait_value", "copy", "fill",
    "malloc", "free", "event_done", "stream_done", "timeline_done", "host_signal", "range_push", "range_pop", "range_start", "range_end" or
    "mark"; stream and object are handles, as Stream.handle has them, and 0 where there is none. It runs on the thread that made the call,
    and may call of gpustream what host functions may. What it raises goes to sys.unraisablehook. No trace need be running. atexit takes it
    back. See gs_set_trace_callback() in gpustream.h.

    Raises TypeError: fn is not callable.
    """
    if fn is not None and not callable(fn):
        raise TypeError(f"argument 'fn' must be callable, not {type(fn).__name__}")

    def call(_argument: object, kind: int, stream: int, of: int, value: int, name: bytes | None) -> None:
        word = _KINDS[kind - 1] if kind <= len(_KINDS) else str(kind)
        assert fn is not None
        fn(word, stream, of, value, None if name is None else name.decode())

    _callback.set(None if fn is None else call)


class Trace:
    """Trace(device_times=False, operations=0): a block that is traced; write() writes the trace, inside the block or after it.

    The trace is kept until another one starts. The end of the block ends this trace and no other that was started since.

    Raises, when the block begins, what start() raises. text() and write() raise gpustream.NotRecordedError: the block has not
    begun, or another trace was started since.
    """

    __slots__ = ("_number", "_options")

    def __init__(self, *, device_times: bool = False, operations: int = 0) -> None:
        self._options = _options(device_times, operations)
        self._number = 0

    def __enter__(self) -> Self:
        self._number = _begin(self._options)
        return self

    def __exit__(self, *exception: object) -> None:
        _end(self._number)

    def text(self) -> str:
        """The trace as JSON; see text()."""
        return written(_core.gs_trace_write, self._begun())

    def write(self, path: str | os.PathLike[str], torch: str | os.PathLike[str] | None = None) -> None:
        """Write the trace to a file; see write()."""
        _write(self._begun(), path, torch)

    def _begun(self) -> int:
        if not self._number:  # the library takes 0 for the trace that it keeps
            raise fail(_core.GS_ERROR_NOT_RECORDED, "this trace has not begun: it is the block of `with trace.Trace() as one:`")
        return self._number


__all__ = ["Trace", "set_callback", "start", "stop", "text", "write"]
