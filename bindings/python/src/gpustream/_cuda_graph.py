# SPDX-License-Identifier: Apache-2.0
"""Graph capture under torch.cuda's names: CUDAGraph, graph, graph_pool_handle, make_graphed_callables."""
from __future__ import annotations

import itertools
import os
from _thread import _local
from typing import TYPE_CHECKING, Any

from gpustream import _captures, _owned, _where
from gpustream._extend import Block, Owner
from gpustream._graph import Graph
from gpustream._load import _core
from gpustream.errors import fail
from gpustream.interop import as_stream

if TYPE_CHECKING:
    from typing import NoReturn, TypeAlias

    from typing_extensions import Self

    from gpustream._types import StreamLike

    PoolHandle: TypeAlias = tuple[int, int]

_FLAGS = _core.GS_INSTANTIATE_AUTO_FREE | _core.GS_INSTANTIATE_NODE_PRIORITY  # as torch
_pools = itertools.count(1)
_debug = False


def graph_pool_handle() -> tuple[int, int]:
    """A token that names a memory pool (a pair of ints), as torch's. gpustream has no pools for graphs: it is accepted
    wherever torch accepts one, and has no effect."""
    with _owned.lock:
        return 0, next(_pools)


class CUDAGraph(_core.CUDAGraph, Owner):
    """CUDAGraph(keep_graph=False): a graph that is captured from the current stream and replayed.

    With keep_graph=False the end of the capture makes it executable and gives the graph up. With True the graph stays, for
    raw_cuda_graph(), and is made executable by instantiate() or the first replay().

    Python functions and kernel arguments that were captured live until this object and its launches have ended.
    """

    __slots__ = ("__weakref__", "_capture", "_graph", "_holding", "_keep_graph", "_pool")
    _what = "a graph is an object of this process's driver"
    _way_out = "capture it again"

    _capture: _captures.Capture | None
    _graph: Graph | None
    _holding: _captures.Holding | None
    _pool: tuple[int, int] | None

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """What __del__ needs, however __init__ ends."""
        self = super().__new__(cls)
        self._capture = self._graph = self._holding = self._pool = None
        self._keep_graph = False
        return self

    def __init__(self, keep_graph: bool = False) -> None:
        self._keep_graph = bool(keep_graph)

    # ---- capture ---------------------------------------------------------------------------------
    def capture_begin(self, pool: PoolHandle | None = None, capture_error_mode: str = "global") -> None:
        """Begin to capture the current stream. `with gpustream.graph(g):` does it on a stream of its own.

        Args:
            pool: accepted and without effect: memory belongs to the caller that allocates it. pool() returns it.
            capture_error_mode: whose unsafe CUDA calls are refused during the capture: "global" those of all threads, "thread_local"
                those of this one, which must also end the capture, "relaxed" none.

        Raises:
            gpustream.NotPermittedError: this object has a graph already.
            gpustream.NotSupportedError: the current stream is the default stream.
            gpustream.CapturingError: the current stream is being captured already.
            gpustream.InvalidArgumentError: no such capture_error_mode.
        """
        mode = _captures.mode_of(capture_error_mode)
        if self._exec or self._graph is not None:
            raise fail(_core.GS_ERROR_NOT_PERMITTED, "This CUDAGraph instance already owns a captured graph. "
                       "To capture a new graph, create a new instance.")
        if self._capture is not None and not self._capture.is_over():
            raise fail(_core.GS_ERROR_CAPTURING, "This CUDAGraph instance is being captured already.")
        stream = _core.current_stream()
        if stream == _core.default_stream(stream.device):
            raise fail(_core.GS_ERROR_NOT_SUPPORTED, "CUDA graphs must be captured on a non-default stream. "
                       "(However, after capture, it's ok to replay them on the default stream.)")
        self._capture = _captures.Capture(stream, mode)
        self._pool = (next(_pools), 0) if pool is None else pool

    def capture_end(self) -> None:
        """End the capture on the stream that began it.

        Raises:
            gpustream.NotPermittedError: nothing is being captured, or another stream is current.
            gpustream.CapturingError: the capture was broken, or a stream that joined it was not joined back: it is over
                then, without a graph; or another thread must end it.

        Warns if nothing was captured.
        """
        capture = self._capture
        if capture is None:
            raise fail(_core.GS_ERROR_NOT_PERMITTED, "capture_end() called before capture_begin().")
        if _core.current_stream() != capture.stream:
            raise fail(_core.GS_ERROR_NOT_PERMITTED, "Capture must end on the same stream it began on.")
        handle = capture.end(self)
        self._graph = Graph._of(handle, capture.holding)
        self._holding = capture.holding.share()
        if not _core.gs_graph_info(handle)["node_count"]:
            import warnings
            warnings.warn("The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong device or "
                          "stream.", UserWarning, stacklevel=_where.warning_level())
        if not self._keep_graph:
            try:
                self._instantiate(self._graph)
            except BaseException:
                self.reset()
                raise
            if not _debug:
                self._graph.close()
                self._graph = None

    def _is_under_way(self) -> bool:
        return self._capture is not None and not self._capture.is_over()

    def _abort(self) -> None:
        capture = _owned.take(self, "_capture", None) if self._capture is not None else None
        if capture is not None:
            capture.abort()

    # ---- executable ------------------------------------------------------------------------------
    def instantiate(self) -> None:
        """Make the graph executable; with keep_graph=True, again after changes of raw_cuda_graph().

        Raises gpustream.NotPermittedError: there was no capture, or keep_graph is False.
        """
        if self._graph is None and not self._exec:
            raise fail(_core.GS_ERROR_NOT_PERMITTED, "capture_end() must have been called before calling instantiate")
        if self._graph is None or not self._keep_graph:
            raise fail(_core.GS_ERROR_NOT_PERMITTED, "instantiate() is intended to be called by the user only when keep_graph=true")
        self._instantiate(self._graph)

    def _instantiate(self, graph: Graph) -> None:
        before = self._take_exec()
        if before:  # first, as torch does: a graph that allocates memory has one executable at a time
            _captures.destroy(_core.gs_graph_exec_destroy, before)
        self._set_exec(_core.gs_graph_instantiate(graph.handle, _FLAGS), graph._device)

    def _before_first_replay(self) -> None:
        """What replay() calls while there is no executable."""
        if self._graph is None:
            raise fail(_core.GS_ERROR_NOT_PERMITTED, "Called CUDAGraph::replay without a preceding successful capture.")
        self._instantiate(self._graph)

    def reset(self) -> None:
        """Give graph and executable up; a capture that is under way is aborted. Another capture may follow."""
        self._abort()
        exec_ = self._take_exec()
        graph = _owned.take(self, "_graph", None) if self._graph is not None else None
        holding = _owned.take(self, "_holding", None) if self._holding is not None else None
        if holding is not None:
            holding.leave()
        if exec_:
            _captures.destroy(_core.gs_graph_exec_destroy, exec_)
        if graph is not None:
            graph.close()

    def __del__(self) -> None:
        if _owned is None:  # the interpreter has taken its modules apart; the process takes the graph along
            return
        capture = _owned.take(self, "_capture", None) if self._capture is not None else None
        if capture is not None:
            _captures.abandon(capture)
        self.reset()

    # ---- the rest --------------------------------------------------------------------------------
    def pool(self) -> PoolHandle:
        """The token that capture_begin() got or made.

        Raises gpustream.NotPermittedError: there was no successful capture.
        """
        if self._pool is None or not (self._exec or self._graph is not None):
            raise fail(_core.GS_ERROR_NOT_PERMITTED, "Called CUDAGraph::pool() without a preceding successful capture.")
        return self._pool

    def enable_debug_mode(self) -> None:
        """Have graphs that are captured from now on, by any object, stay for debug_dump()."""
        global _debug
        _debug = True

    def debug_dump(self, debug_path: str | os.PathLike[str]) -> None:
        """Write the graph to a file in the language of Graphviz. Warns, and writes nothing, unless keep_graph is True or
        enable_debug_mode() was called before the capture ended."""
        if self._graph is not None:
            self._graph.write_dot(debug_path)
        elif not (_debug or self._keep_graph):
            import warnings
            warnings.warn("CUDA Graphs debug not enabled, set with [graph].enable_debug_mode()", UserWarning, stacklevel=2)

    def raw_cuda_graph(self) -> int:
        """The cudaGraph_t (int), which stays this object's.

        Raises gpustream.NotPermittedError: keep_graph is False, or the capture has not ended.
        """
        if not self._keep_graph:
            raise fail(_core.GS_ERROR_NOT_PERMITTED,
                       "You cannot access the raw cudaGraph_t instance unless CUDAGraph was initialized with keep_graph=true")
        if self._graph is None:
            raise fail(_core.GS_ERROR_NOT_PERMITTED,
                       "You cannot access the raw cudaGraph_t instance until capture_end() has been called")
        return self._graph.native_handle

    def raw_cuda_graph_exec(self) -> int:
        """The cudaGraphExec_t (int), which stays this object's.

        Raises gpustream.NotPermittedError: there is none yet.
        """
        if not self._exec:
            raise fail(_core.GS_ERROR_NOT_PERMITTED,
                       "You cannot access the raw cudaGraphExec_t instance until instantiate() has been called")
        return _core.gs_graph_exec_native(self._exec)

    def register_generator_state(self, state: object) -> NoReturn:
        """Raises NotSupportedError: it registers a torch generator, whose numbers are drawn by torch's kernels."""
        raise fail(_core.GS_ERROR_NOT_SUPPORTED, "register_generator_state() needs torch's generators; torch's kernels that draw random "
                   "numbers are to be captured with torch.cuda.graph()")


class _Inside(_local):
    """The graph whose block the thread is inside; one at most."""

    graphs: tuple[CUDAGraph, ...] = ()


_inside = _Inside()


class graph(Block):
    """with gpustream.graph(g): captures the block into a CUDAGraph.

    Args:
        cuda_graph: the CUDAGraph.
        pool, capture_error_mode: as for CUDAGraph.capture_begin().
        stream: what is captured, and current in the block; None: a new stream of the current device.

    An exception in the block aborts the capture, and the CUDAGraph can be captured again. Entering it inside the block of
    another graph raises gpustream.CapturingError; leaving it out of order, or on another thread, raises gpustream.ScopeError
    and changes nothing. Neither the device is synchronized
    nor garbage collected before, as torch does: a capture needs neither.
    """

    def __init__(self, cuda_graph: CUDAGraph, pool: PoolHandle | None = None, stream: StreamLike | None = None,
                 capture_error_mode: str = "global") -> None:
        if not isinstance(cuda_graph, CUDAGraph):
            raise TypeError(f"graph(): argument 'cuda_graph' must be CUDAGraph, not {type(cuda_graph).__name__}")
        self.cuda_graph = cuda_graph
        self.pool = pool
        self.capture_stream: _core.generic.Stream = _core.Stream() if stream is None else as_stream(stream)
        self.stream_ctx = _core.StreamContext(self.capture_stream)
        self.capture_error_mode = capture_error_mode
        super().__init__()

    def _begin(self) -> int:
        if any(one._is_under_way() for one in _inside.graphs):
            raise fail(_core.GS_ERROR_CAPTURING, "graph(): this thread is inside the block of another graph, which is to end first")
        self.stream_ctx.__enter__()
        try:
            self.cuda_graph.capture_begin(self.pool, capture_error_mode=self.capture_error_mode)
        except BaseException:
            self.stream_ctx.__exit__(None, None, None)
            raise
        _inside.graphs = (self.cuda_graph,)
        return 0

    def _end(self, begun: int, exc_type: type[BaseException] | None) -> None:
        _inside.graphs = ()
        try:
            if exc_type is None:
                self.cuda_graph.capture_end()
        finally:
            self.cuda_graph._abort()  # what did not end
            self.stream_ctx.__exit__(None, None, None)


def make_graphed_callables(*args: object, **kwargs: object) -> NoReturn:
    """Raises NotSupportedError: it turns a torch module into graphs of its forward and backward pass, which needs tensors and
    autograd. Capture the calls with gpustream.graph() instead."""
    raise fail(_core.GS_ERROR_NOT_SUPPORTED, "make_graphed_callables() needs torch's tensors and autograd; capture the calls with "
               "gpustream.graph() instead, or use torch.cuda.make_graphed_callables() with gpustream's streams")
