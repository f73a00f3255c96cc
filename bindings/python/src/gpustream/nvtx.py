# SPDX-License-Identifier: Apache-2.0
"""Ranges and marks of the program, as torch.cuda.nvtx has them: for tools of NVTX such as Nsight Systems, and the library's log.

    with gpustream.nvtx.range("step {}", number):
        step()

They are of the thread, whatever stream is current. NVTX_INJECTION64_PATH names the tool, which its launcher sets
(nsys profile python ...). Without one a range costs two calls that count.
"""
from __future__ import annotations

import threading

from gpustream._extend import Block
from gpustream._load import _core
from gpustream.errors import ScopeError

__all__ = ["mark", "range", "range_end", "range_pop", "range_push", "range_start"]


class _Depth(threading.local):
    open = 0


_depth = _Depth()


def range_push(msg: str) -> int:
    """Begin a range of the calling thread; range_pop() ends it. They may be nested.

    Returns how many ranges of this thread, begun in Python, it is inside: 0 for the outermost.

    Raises TypeError or gpustream.InvalidArgumentError: msg is no str. gpustream.FullError: 256 ranges of the thread are open. See gs_range_push() in gpustream.h.
    """
    _core.gs_range_push(msg)
    _depth.open += 1
    return _depth.open - 1


def range_pop() -> int:
    """End the innermost range of the calling thread; returns what its range_push() did, or -1 if none is open.

    See gs_range_pop() in gpustream.h.
    """
    try:
        _core.gs_range_pop()
    except ScopeError:
        return -1
    _depth.open = max(_depth.open - 1, 0)
    return _depth.open


def range_start(msg: str) -> int:
    """Begin a range that any thread may end, with range_end(); such ranges need not be nested. Returns its number.

    Raises TypeError or gpustream.InvalidArgumentError: msg is no str. gpustream.FullError: 1024 such ranges are open. See gs_range_start() in gpustream.h.
    """
    return _core.gs_range_start(msg)


def range_end(range_id: int) -> None:
    """End a range that range_start() has begun.

    Raises gpustream.ScopeError: no range with this number is open. See gs_range_end() in gpustream.h.
    """
    _core.gs_range_end(range_id)


def mark(msg: str) -> None:
    """Mark a moment of the calling thread.

    Raises TypeError or gpustream.InvalidArgumentError: msg is no str. See gs_mark() in gpustream.h.
    """
    _core.gs_mark(msg)


class range(Block):
    """A range for a block, or for a function as a decorator: msg.format(*args, **kwargs), ended also by an exception.

    Raises what range_push() raises. gpustream.ScopeError: on leaving: the block ended on another thread, or out of order.
    """

    def __init__(self, msg: str, *args: object, **kwargs: object) -> None:
        super().__init__()
        self._text = msg.format(*args, **kwargs)

    def _begin(self) -> int:
        return range_push(self._text)

    def _end(self, begun: int, exc_type: type[BaseException] | None) -> None:
        range_pop()
