# SPDX-License-Identifier: Apache-2.0
"""Nodes of graphs, as Graph.add_*() returns them."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gpustream._extents import extent
from gpustream._load import _core
from gpustream._where import calling_line

if TYPE_CHECKING:
    from types import TracebackType

    from gpustream import Stream, StreamContext
    from gpustream._graph import Graph
    from gpustream._graph_base import GraphBase

_KINDS = {getattr(_core, name): name.removeprefix("GS_NODE_").lower() for name in dir(_core) if name.startswith("GS_NODE_")}


class Node:
    """A node of a graph.

    Attributes:
        graph (Graph): the graph that it belongs to.
        number (int): its gs_node_t, which no other node of the process ever has.
    """

    __slots__ = ("graph", "number")

    def __init__(self, graph: GraphBase, number: int) -> None:
        self.graph = graph
        self.number = number

    def __eq__(self, other: object) -> bool:
        return self.number == other.number if isinstance(other, Node) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.number)

    @property
    def info(self) -> dict[str, Any]:
        """What the node does (dict by the fields of gs_node_params_t in gpustream.h), as it was added."""
        info = _core.gs_graph_node_info(self.graph.handle, self.number)
        del info["struct_size"]
        return info

    @property
    def kind(self) -> str:
        """"kernel", "memcpy", "memset", "host", "record", "wait", "empty", "graph", "condition", ... (str)."""
        return _KINDS.get(self.info["kind"], "other")

    @property
    def native_handle(self) -> int:
        """The driver's cudaGraphNode_t (int), valid as long as the graph."""
        return _core.gs_graph_node_native(self.graph.handle, self.number)

    def check_read(self, memory: Any, label: str | None = None) -> None:
        """Declare to the ordering checker (gpustream.check) that the node reads the memory at each launch.

        Executables that are made from then on have the access. As gpustream.check.read(), which is for work that is submitted or
        captured. See gs_graph_check_read() in gpustream.h.
        """
        _core.gs_graph_check_read(self.graph.handle, self.number, *extent(memory, "memory"), label or calling_line(1))

    def check_write(self, memory: Any, label: str | None = None) -> None:
        """Declare that it writes the memory, and possibly reads it. As check_read()."""
        _core.gs_graph_check_write(self.graph.handle, self.number, *extent(memory, "memory"), label or calling_line(1))

    def __repr__(self) -> str:
        return f"<gpustream.{type(self).__name__} {self.number}>"


class Body:
    """A body of a conditional node, which ends with its graph.

    `with body:` captures into it: a stream of its own is current on the thread until the block ends, and what is put into
    it becomes nodes of the body. A block that an exception ends leaves the nodes captured so far. body.graph takes nodes
    one by one.
    """

    __slots__ = ("_context", "graph")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._context: tuple[Stream, StreamContext] | None = None

    def __enter__(self) -> Stream:
        """Returns the stream."""
        from gpustream import Stream, StreamContext
        stream = Stream(self.graph.device)
        context = StreamContext(stream)
        context.__enter__()
        try:
            self.graph.capture_begin("relaxed")
        except BaseException:
            context.__exit__(None, None, None)
            raise
        self._context = stream, context
        return stream

    def __exit__(self, exc_type: type[BaseException] | None, exc_value: BaseException | None, traceback: TracebackType | None) -> None:
        given, self._context = self._context, None
        if given is None:
            return
        try:
            self.graph.__exit__(exc_type, exc_value, traceback)
        finally:
            given[1].__exit__(None, None, None)


class Condition(Node):
    """A conditional node.

    Attributes:
        bodies (tuple of Body): what it runs.
        body (Body): the first of them.
    """

    __slots__ = ("bodies",)

    def __init__(self, graph: Graph, number: int, bodies: tuple[Body, ...]) -> None:
        super().__init__(graph, number)
        self.bodies = bodies

    @property
    def body(self) -> Body:
        return self.bodies[0]
