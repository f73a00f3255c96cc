# SPDX-License-Identifier: Apache-2.0
"""gpustream.Graph: built node by node, or captured."""
from __future__ import annotations

from typing import TYPE_CHECKING, SupportsIndex

from gpustream import _captures, _owned
from gpustream._addresses import Memory, address
from gpustream._captures import Holding
from gpustream._extend import Owner
from gpustream._graph_base import After, GraphBase
from gpustream._graph_exec import GraphExec
from gpustream._graph_nodes import Body, Condition, Node
from gpustream._load import _core
from gpustream.errors import fail

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

    from gpustream._types import DeviceLike


class Graph(GraphBase, Owner):
    """Graph(device=None): an empty graph, to which nodes are added or captured.

    add_*() add nodes one by one; after names the nodes that come before the new one (a Node or several). `with stream,
    graph:` captures what the block puts into the stream. While the graph is being captured, a node added without after
    comes in the place of the stream's next work. instantiate() makes the graph executable.

    Whatever nodes refer to (Python functions, buffers, kernels, events) lives until graph, executables and launches have
    ended. Addresses given as ints are the caller's to keep.

    Args:
        device: where its nodes run; None or any negative number: the current device.

    Raises:
        gpustream.InvalidDeviceError: there is no such device.
        gpustream.NotSupportedError: the driver has no graphs.

    Does not block, but for the first use of a device. See gs_graph_create() in gpustream.h.
    """

    __slots__ = ()
    _what = "a graph is an object of this process's driver"
    _way_out = "clone() copies it"

    def __init__(self, device: DeviceLike = None) -> None:
        self.close()
        _core.start()
        self._adopt(_core.gs_graph_create(device, 0))

    def set_name(self, name: str | None) -> None:
        """Set the name of the graph, and of executables made later, that errors, dumps and traces show; 63 bytes count. None removes it.

        Raises TypeError: it is no str. See gs_graph_set_name() in gpustream.h.
        """
        _core.gs_graph_set_name(self._handle, name)

    @classmethod
    def from_native(cls, native: SupportsIndex, device: DeviceLike = None, *, owner: object = None) -> Self:
        """Wrap a cudaGraph_t (int), such as torch's raw_cuda_graph(), which stays its owner's.

        owner is kept alive as long as this object; None: the caller keeps the graph alive. The number is not checked, as
        the driver cannot be asked.
        """
        _core.start()
        return cls._of(_core.gs_graph_from_native(device, native), parent=owner)

    # ---- conditions ------------------------------------------------------------------------------
    def _condition(self, kind: int, word: Memory | None, initial: int, bodies: int, after: After) -> Condition:
        before = self._before(after)
        params = {"kind": _core.GS_NODE_CONDITION, "condition_kind": kind, "initial": initial, "body_count": bodies}
        number = _core.gs_graph_add_node(self._handle, before, params)
        handles, _ = _core.gs_graph_node_bodies(self._handle, number, bodies)
        condition = Condition(self, number, tuple(Body(Graph._of(handle, self._root(), self)) for handle in handles))
        if word is not None:
            self._set_condition(condition, word, before)
        self._entered(number, after)
        return condition

    def _root(self) -> Holding:
        """What the graph keeps, which is also what its bodies keep; given to the library before anything is kept."""
        if not isinstance(self._parent, Graph):
            self._holding.prepare(self._handle)
        return self._holding.share()

    def _set_condition(self, condition: Condition, word: Memory, before: list[int]) -> int:
        number, size, kept = address(word, "word", writable=False)
        if size is not None and size < 4:
            raise ValueError("argument 'word' must have 4 bytes")
        self._keep(kept)
        params = {"kind": _core.GS_NODE_SET_CONDITION, "graph": condition.graph._handle, "condition": condition.number, "src": number}
        return _core.gs_graph_add_node(self._handle, before, params)

    def add_if(self, word: Memory | None = None, *, initial: int = 0, bodies: int = 1, after: After = None) -> Condition:
        """Add a node that runs bodies[0] if the condition is not 0, else bodies[1] if there are two.

        word: 4 bytes of memory that a device can read, from which the condition is set at each launch when the nodes of
        after are done; None: it is initial, unless set_condition() adds a node that sets it.
        """
        return self._condition(_core.GS_CONDITION_IF, word, initial, bodies, after)

    def add_while(self, word: Memory | None = None, *, initial: int = 0, after: After = None) -> Condition:
        """Add a node that runs its body as long as the condition is not 0. word: as in add_if(), for the first round;
        set_condition() in the body decides whether there is another one."""
        return self._condition(_core.GS_CONDITION_WHILE, word, initial, 1, after)

    def add_switch(self, bodies: int, word: Memory | None = None, *, initial: int = 0, after: After = None) -> Condition:
        """Add a node that runs the body whose index the condition is; an index without a body runs nothing."""
        return self._condition(_core.GS_CONDITION_SWITCH, word, initial, bodies, after)

    def set_condition(self, condition: Condition, word: Memory, after: After = None) -> Node:
        """Add a node that sets a condition from 4 bytes of memory. In the condition's own graph it comes before that node;
        in a body of a WHILE it decides whether there is another round."""
        return self._entered(self._set_condition(condition, word, self._before(after)), after)

    # ---- capture ---------------------------------------------------------------------------------
    def capture_begin(self, capture_error_mode: str = "global") -> None:
        """Begin to capture the current stream into this graph: its work becomes nodes. `with stream, graph:` does it.

        capture_error_mode: as for CUDAGraph.capture_begin(); "default" is "global".
        """
        mode = _captures.mode_of("global" if capture_error_mode == "default" else capture_error_mode)
        if not self._handle:
            raise fail(_core.GS_ERROR_INVALID_HANDLE, "the graph was closed")
        if self._capture is not None:
            raise fail(_core.GS_ERROR_CAPTURING, "the graph is being captured already")
        self._capture = _captures.Capture(_core.current_stream(), mode, self._handle, self._holding)

    def capture_end(self) -> None:
        """End the capture of the stream that began it.

        Raises gpustream.CapturingError: the capture was broken, or a stream that joined it was not joined back; then it is
        over, too. NotPermittedError: nothing is being captured.
        """
        capture = self._capture
        if capture is None:
            raise fail(_core.GS_ERROR_NOT_PERMITTED, "capture_end() called before capture_begin().")
        handle = capture.end(self)
        if not isinstance(self._parent, Graph):
            _captures.destroy(_core.gs_graph_destroy, handle)  # the reference that the end returned; bodies have none
        self._forget_replayed()

    def __enter__(self) -> Self:
        self.capture_begin()
        return self

    def __exit__(self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None) -> None:
        """An exception ends the capture; the nodes captured so far stay."""
        if exc_type is None:
            self.capture_end()
        elif self._capture is not None:
            capture = _owned.take(self, "_capture", None)
            if capture is not None:
                capture.abort()

    # ---- executables -----------------------------------------------------------------------------
    def instantiate(self, *, auto_free: bool = False, node_priority: bool = False) -> GraphExec:
        """Make it executable (GraphExec).

        Args:
            auto_free: memory that a launch allocated and nothing freed is freed by the next launch.
            node_priority: each node runs at the priority of the stream that it was captured in.

        Raises:
            gpustream.InvalidArgumentError: the driver refuses the graph; the text says why.
            gpustream.CapturingError: it is being captured.
        """
        return GraphExec(self, auto_free=auto_free, node_priority=node_priority)

    def replay(self) -> None:
        """Submit the graph's work to the current stream of its device; instantiates at the first call and after a capture."""
        replayed = self._replayed
        if replayed is None:
            replayed = self._replayed = self.instantiate()
        replayed.launch()

    def _forget_replayed(self) -> None:
        replayed = _owned.take(self, "_replayed", None) if self._replayed is not None else None
        if replayed is not None:
            replayed.close()

    def clone(self) -> Graph:
        """A copy: the same nodes, with numbers of their own.

        Raises gpustream.NotSupportedError: it has conditional nodes, or nodes that allocate or free memory.
        """
        copy = Graph._of(_core.gs_graph_clone(self._handle))
        copy._keep(self._holding.contents)
        return copy

    def close(self) -> None:
        """Give the graph up; executables live on. Ends a capture that is under way. A second call does nothing."""
        handle = _owned.take(self, "_handle", 0) if self._handle else 0
        capture = _owned.take(self, "_capture", None) if self._capture is not None else None
        if capture is not None:
            _captures.abandon(capture)
        if handle:
            self._forget_replayed()
            self._holding.leave()
            self._holding = Holding()
            if not isinstance(self._parent, Graph):
                _captures.destroy(_core.gs_graph_destroy, handle)

    def __del__(self) -> None:
        if _owned is not None:  # None: the interpreter has taken its modules apart
            self.close()

    def __repr__(self) -> str:
        return f"<gpustream.Graph {f'device={self.device}' if self._handle else 'closed'}>"
