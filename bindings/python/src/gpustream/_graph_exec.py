# SPDX-License-Identifier: Apache-2.0
"""gpustream.GraphExec: a graph made executable. Its launch is in the extension (native/graph_exec.c)."""
from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

from gpustream import _captures
from gpustream._backends import special
from gpustream._extend import Owner
from gpustream._graph_nodes import Node
from gpustream._load import _core
from gpustream._node_params import Params, copy_node, fill_node, host_node, kernel_node, record_node, wait_node
from gpustream._work import launch_values
from gpustream.errors import fail
from gpustream.interop import _optional

if TYPE_CHECKING:
    from gpustream import generic
    from gpustream._addresses import Memory
    from gpustream._graph import Graph
    from gpustream._types import StreamLike
    from gpustream._work import _Kernel

_REASONS = {getattr(_core, name): name.removeprefix("GS_UPDATE_").lower().replace("_", " ") for name in dir(_core) if name.startswith("GS_UPDATE_")}
_REASONS[_core.GS_UPDATE_OK] = ""


def _check_graph(graph: object, function: str) -> None:
    if not isinstance(getattr(graph, "_holding", None), _captures.Holding):
        raise TypeError(f"{function}(): argument 'graph' must be Graph, not {type(graph).__name__}")


class UpdateResult:
    """What became of GraphExec.update(): true if the executable was updated.

    Attributes:
        reason (str): "" if it was updated; else what differs: "topology", "kind", "function", "parameters", "not supported",
            "function sort", "attributes" or "error".
        code (int): the same as one of GS_UPDATE_* of gpustream.h, whose numbers are CUDA's.
        node (Node or None): the node of the new graph that cannot be taken over, if it is a single one.
    """

    __slots__ = ("code", "node", "reason")

    def __init__(self, code: int, node: Node | None) -> None:
        self.code = code
        self.reason = _REASONS[code] if code in _REASONS else f"reason {code}"
        self.node = node

    def __bool__(self) -> bool:
        return self.code == _core.GS_UPDATE_OK

    def __repr__(self) -> str:
        return "UpdateResult(updated)" if self else f"UpdateResult(not updated: {self.reason}, node={self.node})"


class GraphExec(_core.GraphExec, Owner):
    """An executable graph; Graph.instantiate() makes it.

    It is a copy of the graph: what is added to the graph later is not part of it. What its nodes refer to lives until this
    object and its launches have ended. Threads may launch one executable: the launches take effect one after the other.
    """

    __slots__ = ("__weakref__", "_graph", "_holding")
    _what = "an executable is an object of this process's driver"
    _way_out = "instantiate the graph again"

    _graph: Graph
    _holding: _captures.Holding

    def __init__(self, graph: Graph, *, auto_free: bool = False, node_priority: bool = False) -> None:
        _check_graph(graph, "GraphExec")
        if self._exec:
            self.close()
        flags = (_core.GS_INSTANTIATE_AUTO_FREE if auto_free else 0) | (_core.GS_INSTANTIATE_NODE_PRIORITY if node_priority else 0)
        self._graph = graph
        graph._holding.prepare(graph.handle)
        exec_ = _core.gs_graph_instantiate(graph.handle, flags)
        self._set_exec(exec_, graph._device)
        self._holding = graph._holding.share()

    @property
    def handle(self) -> int:
        """The gs_graph_exec_t (int), for ctypes calls into libgpustream itself; 0: closed."""
        return self._exec

    @property
    def native_handle(self) -> int:
        """The cudaGraphExec_t (int). Others may launch it while this object lives, and must not destroy it."""
        return _core.gs_graph_exec_native(self._exec)

    def upload(self, stream: StreamLike | None = None) -> None:
        """Move what the first launch needs to the device, in stream order. None: the current stream.

        Raises gpustream.CapturingError: the stream is being captured.
        """
        _core.gs_graph_exec_upload(self._exec, _optional(stream))

    def update(self, graph: Graph) -> UpdateResult:
        """Make it run what another graph of the same nodes and dependencies says (UpdateResult).

        If the graph differs in more than parameters the executable stays as it is, and the result is false. Launches
        submitted before are not affected. nodes of the graph that it was made from still name its nodes.
        """
        _check_graph(graph, "update")
        holding, handle = graph._holding, graph.handle
        holding.prepare(handle)
        result = _core.gs_graph_exec_update(self._exec, handle)
        code, number = result["reason"], result["node"]
        before = self._holding
        if code == _core.GS_UPDATE_OK and before is not holding:
            self._holding = holding.share()
            before.leave()
        return UpdateResult(code, Node(graph, number) if number else None)

    def set_kernel(self, node: Node, kernel: _Kernel, grid: Sequence[int], block: Sequence[int],
                   arguments: Sequence[ctypes._SimpleCData[Any]] = (), shared: int = 0) -> None:
        """Change what a kernel node runs from the next launch on."""
        values = launch_values(grid, block, arguments, shared, {})
        copied = special(_core.gs_device_backend(self._graph._device)).copies_arguments
        self._set(node, kernel_node(kernel, values), (kernel, None if copied else values))

    def set_memcpy(self, node: Node, dst: Memory, src: Memory, bytes: SupportsIndex | None = None) -> None:
        """Change what a copy node copies from the next launch on."""
        self._set(node, *copy_node(dst, src, bytes))

    def set_memset(self, node: Node, dst: Memory, value: SupportsIndex, bytes: SupportsIndex | None = None) -> None:
        """Change what a fill node fills from the next launch on."""
        self._set(node, *fill_node(dst, value, bytes))

    def set_host(self, node: Node, fn: Callable[[], object]) -> None:
        """Change which Python function a host node calls from the next launch on. See Graph.add_host()."""
        from gpustream._callbacks import HostFunction
        function = HostFunction(fn, "set_host")
        self._set(node, host_node(_core.host_holder(), function.ticket), (function,))

    def set_record(self, node: Node, event: generic.Event) -> None:
        """Change which event a record node records from the next launch on."""
        self._set(node, record_node(event))

    def set_wait(self, node: Node, event: generic.Event) -> None:
        """Change which event a wait node waits for from the next launch on."""
        self._set(node, wait_node(event))

    def enable(self, node: Node, enabled: bool = True) -> None:
        """Switch a kernel, copy or fill node on or off from the next launch on. One that is off does nothing."""
        _core.gs_graph_exec_enable_node(self._exec, node.number, 1 if enabled else 0)

    def _set(self, node: Node, params: Params, kept: tuple[object, ...] = ()) -> None:
        for thing in kept:
            self._keep(thing)
        _core.gs_graph_exec_set_node(self._exec, node.number, params)

    def _keep(self, thing: object) -> None:
        """What is replaced later is kept as well, as launches under way may use it."""
        if not self._exec:
            raise fail(_core.GS_ERROR_INVALID_HANDLE, "the executable was closed")
        contents = self._holding.contents
        if thing is not None and not any(thing is one for one in contents):
            contents.append(thing)

    def close(self) -> None:
        """Give the executable up. Launches that were submitted still run. A second call does nothing."""
        exec_ = self._take_exec()
        if exec_:
            self._holding.leave()
            self._holding = _captures.Holding()
            _captures.destroy(_core.gs_graph_exec_destroy, exec_)

    def __del__(self) -> None:
        if _captures is not None:  # None: the interpreter has taken its modules apart
            self.close()

    def __repr__(self) -> str:
        return f"<gpustream.GraphExec {f'device={self._graph.device}' if self._exec else 'closed'}>"


__all__ = ["GraphExec", "UpdateResult"]
