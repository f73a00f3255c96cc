# SPDX-License-Identifier: Apache-2.0
"""What a graph is and which nodes it has: the base of gpustream.Graph."""
from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex, TypeAlias

from gpustream import _captures
from gpustream._addresses import Memory
from gpustream._captures import Holding
from gpustream._devices import of_number, whole_list
from gpustream._graph_nodes import Node
from gpustream._load import _core
from gpustream._native_callback import written
from gpustream._node_params import Params, copy_node, fill_node, host_node, kernel_node, record_node, wait_node
from gpustream._work import launch_values

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack

    from gpustream import Device, generic
    from gpustream._graph_exec import GraphExec
    from gpustream._work import LaunchAttributes, _Kernel

After: TypeAlias = "Node | Iterable[Node] | None"


class GraphBase:
    """A graph to which nodes are added one by one."""

    __slots__ = ("__weakref__", "_capture", "_device", "_handle", "_holding", "_parent", "_replayed")

    _handle: int
    _capture: _captures.Capture | None
    _parent: object
    _replayed: GraphExec | None

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """What __del__ needs, however __init__ ends."""
        self = super().__new__(cls)
        self._handle = 0
        self._capture = self._parent = self._replayed = None
        return self

    def _adopt(self, handle: int, holding: Holding | None = None, parent: object = None) -> None:
        """parent: of a body, the graph that owns it; of another library's graph, what keeps that alive."""
        self._handle = handle
        self._parent = parent
        self._holding = holding or Holding()
        self._device = _core.gs_graph_info(handle)["device"]

    @classmethod
    def _of(cls, handle: int, holding: Holding | None = None, parent: object = None) -> Self:
        self = cls.__new__(cls)
        self._adopt(handle, holding, parent)
        return self

    # ---- what it is ----------------------------------------------------------------------------
    @property
    def handle(self) -> int:
        """The gs_graph_t (int), for ctypes calls into libgpustream itself; 0: closed."""
        return self._handle

    @property
    def native_handle(self) -> int:
        """The cudaGraph_t (int). Others may read it while this object lives, and must not destroy it."""
        return _core.gs_graph_native(self._handle)

    @property
    def device(self) -> Device:
        """Where its nodes run. It never changes."""
        return of_number(self._device)

    @property
    def nodes(self) -> list[Node]:
        """Its nodes, in the order in which they were added (list of Node)."""
        return [Node(self, number) for number in whole_list(_core.gs_graph_nodes, self._handle)]

    @property
    def edges(self) -> list[tuple[Node, Node]]:
        """Its dependencies: (what comes before, what waits for it)."""
        found = whole_list(_core.gs_graph_edges, self._handle)
        return [(Node(self, found[i]), Node(self, found[i + 1])) for i in range(0, len(found), 2)]

    def dot(self) -> str:
        """The graph in the language of Graphviz (str)."""
        return written(_core.gs_graph_write_dot, self._handle)

    def write_dot(self, path: str | os.PathLike[str]) -> None:
        """Write dot() to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.dot())

    # ---- nodes -----------------------------------------------------------------------------------
    def _before(self, after: After) -> list[int]:
        """Numbers of the nodes that a new one waits for."""
        if after is not None or self._capture is None:
            before = (after,) if isinstance(after, Node) else tuple(after or ())
            for node in before:
                if not isinstance(node, Node):
                    raise TypeError(f"argument 'after' must be a Node or several, not {type(node).__name__}")
            return [node.number for node in before]
        return whole_list(_core.gs_stream_capture_nodes, self._capture.stream)

    def _entered(self, number: int, after: After) -> Node:
        """In a capture the stream's next work waits for a node that was added in its place."""
        if after is None and self._capture is not None:
            _core.gs_stream_set_capture_nodes(self._capture.stream, [number], 0)
        return Node(self, number)

    def _add(self, params: Params, after: After, kept: tuple[object, ...] = ()) -> Node:
        for thing in kept:
            self._keep(thing)
        return self._entered(_core.gs_graph_add_node(self._handle, self._before(after), params), after)

    def _keep(self, thing: object) -> None:
        if isinstance(self._parent, GraphBase):
            self._parent._keep(thing)
        elif thing is not None:
            self._holding.keep(self._handle, thing)

    def add_empty(self, after: After = None) -> Node:
        """Add a node that does nothing: others are ordered by it."""
        return self._add({"kind": _core.GS_NODE_EMPTY}, after)

    def add_host(self, fn: Callable[[], object], after: After = None) -> Node:
        """Add a node that has fn() called at each launch, when the nodes before are done. What comes behind the node waits until
        it has returned, as behind Stream.launch_host(), whose rules it has."""
        from gpustream._callbacks import HostFunction
        function = HostFunction(fn, "add_host")
        return self._add(host_node(_core.host_holder(), function.ticket), after, (function,))

    def add_native_host(self, function: SupportsIndex, argument: SupportsIndex = 0, after: After = None) -> Node:
        """Add a node that calls native code: void function(void *argument), both addresses (int). What comes behind the
        node waits for it. It must not call Python, nor wait for work of any stream. See gs_graph_add_node()."""
        return self._add(host_node(function, argument), after)

    def add_kernel(self, kernel: _Kernel, grid: Sequence[int], block: Sequence[int],
                   arguments: Sequence[ctypes._SimpleCData[Any]] = (), *, shared: int = 0, after: After = None,
                   **attributes: Unpack[LaunchAttributes]) -> Node:
        """Add a node that runs a kernel; arguments and attributes as for its launch()."""
        values = launch_values(grid, block, arguments, shared, attributes)
        return self._add(kernel_node(kernel, values), after, (kernel, values))

    def add_memcpy(self, dst: Memory, src: Memory, bytes: SupportsIndex | None = None, *, after: After = None) -> Node:
        """Add a node that copies what src holds at the launch.

        dst, src: an address (int); a writable buffer (bytearray, ctypes, numpy, ...), src also bytes; device memory by
        __cuda_array_interface__ or data_ptr(). bytes: None: as much as the shorter one has.
        """
        params, kept = copy_node(dst, src, bytes)
        return self._add(params, after, kept)

    def add_memset(self, dst: Memory, value: SupportsIndex, bytes: SupportsIndex | None = None, *, after: After = None) -> Node:
        """Add a node that fills device memory with a byte. bytes: None: all of it."""
        params, kept = fill_node(dst, value, bytes)
        return self._add(params, after, kept)

    def add_record(self, event: generic.Event, after: After = None) -> Node:
        """Add a node that records an event at each launch."""
        return self._add(record_node(event), after)

    def add_wait(self, event: generic.Event, after: After = None) -> Node:
        """Add a node that waits for the record that an event has when the launch is submitted."""
        return self._add(wait_node(event), after)

    def add_graph(self, child: GraphBase, after: After = None) -> Node:
        """Add a node that runs another graph as it is now."""
        if not isinstance(child, GraphBase):
            raise TypeError(f"add_graph(): argument 'child' must be Graph, not {type(child).__name__}")
        if child is not self:
            self._keep(child._holding.contents)
        return self._add({"kind": _core.GS_NODE_GRAPH, "graph": child._handle}, after)
