# SPDX-License-Identifier: Apache-2.0
"""What nodes of graphs do, as gs_graph_add_node() and gs_graph_exec_set_node() take it, and what has to live as long."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

from gpustream._addresses import Memory, address, size_of_copy
from gpustream._load import _core

if TYPE_CHECKING:
    from gpustream import generic
    from gpustream._work import _Kernel, _LaunchValues

Params = dict[str, Any]


def host_node(function: SupportsIndex, argument: SupportsIndex) -> Params:
    return {"kind": _core.GS_NODE_HOST, "host_function": function, "host_argument": argument}


def kernel_node(kernel: _Kernel, values: _LaunchValues) -> Params:
    config = dict(values.config)
    event = config.pop("programmatic_event", None)  # which the library refuses
    return {"kind": _core.GS_NODE_KERNEL, "kernel": kernel._handle, "arguments": values.address, "event": event, **config}


def copy_node(dst: Memory, src: Memory, bytes: SupportsIndex | None) -> tuple[Params, tuple[object, ...]]:
    to, room, kept_to = address(dst, "dst", writable=True)
    from_, there, kept_from = address(src, "src", writable=False)
    size = size_of_copy(bytes, room, there)
    return {"kind": _core.GS_NODE_MEMCPY, "dst": to, "src": from_, "bytes": size}, (kept_to, kept_from)


def fill_node(dst: Memory, value: SupportsIndex, bytes: SupportsIndex | None) -> tuple[Params, tuple[object, ...]]:
    to, room, kept = address(dst, "dst", writable=True)
    return {"kind": _core.GS_NODE_MEMSET, "dst": to, "value": value, "bytes": size_of_copy(bytes, room)}, (kept,)


def record_node(event: generic.Event) -> Params:
    return {"kind": _core.GS_NODE_RECORD, "event": event}


def wait_node(event: generic.Event) -> Params:
    return {"kind": _core.GS_NODE_WAIT, "event": event}
