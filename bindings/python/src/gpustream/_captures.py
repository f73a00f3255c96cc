# SPDX-License-Identifier: Apache-2.0
"""What graphs keep alive, and the captures that this package began.

The library keeps a cell, an empty list at first, until a graph, its executables and their launches have ended. What is
to be kept belongs to the Python objects, where the garbage collector sees it; the last of them puts it into the cell
when it ends, for launches that are still under way. So a graph whose function refers to the graph is collected.
"""
from __future__ import annotations

from gpustream import _owned
from gpustream._load import _core
from gpustream.errors import BadForkError, Error, fail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MODES = {"global": _core.GS_CAPTURE_GLOBAL, "thread_local": _core.GS_CAPTURE_THREAD_LOCAL, "relaxed": _core.GS_CAPTURE_RELAXED}


def mode_of(word: object) -> int:
    """The library's number of a capture_error_mode; torch's text for another one."""
    mode = MODES.get(word) if isinstance(word, str) else None
    if mode is None:
        raise fail(_core.GS_ERROR_INVALID_ARGUMENT,
                   f"Unknown capture error mode. Expected `global`, `thread_local`, or `relaxed`, got {word}")
    return mode


def _leave_memory(thing: object) -> None:
    """From now on close() leaves the memory of these buffers to the graph."""
    if isinstance(thing, _core.Buffer):
        thing._keep_in_graph()
    elif isinstance(thing, (list, tuple)):
        for one in thing:
            _leave_memory(one)


class Holding:
    """What one graph of the driver keeps, shared by the graph's object and those of its executables."""

    __slots__ = ("_cell", "_users", "contents")

    def __init__(self) -> None:
        self.contents: list[object] = []
        self._cell: list[object] | None = None
        self._users = 1

    def prepare(self, graph: int) -> None:
        """Creates what the library keeps, the cell. Executables made before do not keep it. graph: the handle of the live graph."""
        if self._cell is None:
            cell: list[object] = []
            _core.graph_keep(graph, cell)
            with _owned.lock:
                if self._cell is None:
                    self._cell = cell

    def keep(self, graph: int, thing: object) -> None:
        self.prepare(graph)
        _leave_memory(thing)
        self.contents.append(thing)

    def share(self) -> Holding:
        """For one more object, which calls leave() when it ends."""
        with _owned.lock:
            self._users += 1
        return self

    def leave(self) -> None:
        if _owned is None:  # the interpreter has taken its modules apart; the process takes the graph along
            return
        with _owned.lock:
            self._users -= 1
            last = self._users == 0
        if last and self._cell is not None:
            self._cell.append(self.contents)


# By the handle of the graph that is captured into.
_open: dict[int, Holding] = {}


class Capture:
    """A capture that has begun and not ended."""

    __slots__ = ("_graph", "holding", "stream")

    def __init__(self, stream: _core.generic.Stream, mode: int, graph: int = 0, holding: Holding | None = None) -> None:
        """graph, holding: the graph to capture into; 0: a new one."""
        if graph:
            _core.gs_stream_begin_capture_to(stream, graph, (), mode)
        else:
            _core.gs_stream_begin_capture(stream, mode)
        self.stream = stream
        self.holding = holding or Holding()
        self._graph = 0
        try:
            self._graph = graph or _core.gs_stream_capture_info(stream)["graph"]
        except BaseException:
            _core.gs_stream_abort_capture(stream)
            raise
        _open[self._graph] = self.holding

    def end(self, owner: Any) -> int:
        """The graph's handle, whose reference is the caller's. The owner's `_capture` stays if this raises and may be tried again."""
        try:
            graph = _core.gs_stream_end_capture(self.stream)
        except BaseException:
            if self.is_over():
                owner._capture = None
            raise
        _open.pop(self._graph, None)
        owner._capture = None
        return graph

    def is_over(self) -> bool:
        """Whether the capture has ended, as that of a broken one does without a graph."""
        try:
            info = _core.gs_stream_capture_info(self.stream)
        except Error:
            return True
        over: bool = info["state"] == _core.GS_CAPTURE_STATE_NONE or info["graph"] != self._graph
        if over:
            _open.pop(self._graph, None)
        return over

    def abort(self) -> None:
        """Ends it without a graph. A capture that is over already is left alone."""
        _open.pop(self._graph, None)
        if not self.is_over():
            _core.gs_stream_abort_capture(self.stream)


def keep_for_capture(stream: _core.generic.Stream | None, thing: object) -> None:
    """Keeps what has just been put into a stream, if the stream is being captured."""
    if not _open:
        return
    graph = graph_of(stream)
    if graph:
        keep_for_graph(graph, thing)


def keep_for_graph(graph: int, thing: object) -> None:
    holding = _open.get(graph)
    if holding is not None:
        holding.keep(graph, thing)
    else:
        _leave_memory(thing)
        _core.graph_keep(graph, thing)  # captured by another language of this process


def graph_of(stream: _core.generic.Stream | None) -> int:
    """Handle of the graph that a stream is captured into by gpustream; 0: none."""
    if stream is None:
        stream = _core.current_stream()
    info: dict[str, Any] = _core.gs_stream_capture_info(stream)
    graph: int = info["graph"]
    return graph if info["state"] == _core.GS_CAPTURE_STATE_ACTIVE else 0


def is_under_way() -> bool:
    """Whether this package has begun a capture that has not ended."""
    return bool(_open)


def empty_for_fork() -> None:
    """In the child, where the parent's captures do not exist."""
    _open.clear()


def abandon(capture: Capture) -> None:
    """Aborts it when the object that began it ends. In a forked child there is nothing to abort."""
    try:
        capture.abort()
    except BadForkError:
        pass


def destroy(function: Any, handle: int) -> None:
    """Releases a reference. In a forked child there is nothing to give back."""
    try:
        function(handle)
    except BadForkError:
        pass
