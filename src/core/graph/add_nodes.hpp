// SPDX-License-Identifier: Apache-2.0
// Nodes added to graphs one by one. The graph is named by its handle; every function locks it itself and must be called
// without a CallMark.
#pragma once

#include "core/graph/graph_slots.hpp"

namespace gs {

// The parameters of nodes that other graphs have no part in: what they refer to is looked up, checked, and held by the
// graph, or by the executable whose node changes.

// wanted: of the kinds EMPTY, HOST, KERNEL, MEMCPY, MEMSET, RECORD, WAIT; its pointers, sizes and numbers are right. exec: the
// executable to be changed, made from the graph, or nullptr. Under the mutexes of both and without a CallMark.
Status node_params(ThreadBlock &thread, GraphSlot &graph, ExecSlot *exec, const gs_node_params_t &wanted,
                   NodeParams *out, NodeNote *out_note) noexcept;

// The list retains the event.
Status hold_event(ThreadBlock &thread, GraphHolds &holds, uint64_t event) noexcept;

// The node keeps the name that the event or graph has now; a node without one has no note.
Status note_name(int32_t kind, uint64_t handle, NodeNote *out) noexcept;

// INVALID_HANDLE if a node is to record or wait for an event that is not live: handles are judged before nodes.
Status check_event(const gs_node_params_t &wanted) noexcept;

// A host function, a record or a wait: what they refer to is tied to the driver's graph.
constexpr bool needs_holds(int32_t kind) noexcept {
    return kind == GS_NODE_HOST || kind == GS_NODE_RECORD || kind == GS_NODE_WAIT;
}

// A graph's handle and the nodes of it that come before the new one.
struct NodePlace {
    uint64_t graph;
    const gs_node_t *after;
    size_t count;
};

inline constexpr size_t kMostBodies = 1024;

// wanted: its kind is one that can be added; its pointers, sizes and numbers are right, its handles any.
Status add_node(ThreadBlock &thread, const NodePlace &place, const gs_node_params_t &wanted, gs_node_t *out) noexcept;

Status clone_graph(ThreadBlock &thread, uint64_t graph, uint64_t *out_handle) noexcept;

// ---- kinds that other graphs have a part in

Status add_graph_node(ThreadBlock &thread, const NodePlace &place, uint64_t child, gs_node_t *out) noexcept;
Status add_condition_node(ThreadBlock &thread, const NodePlace &place, const gs_node_params_t &wanted,
                          gs_node_t *out) noexcept;
Status add_set_condition_node(ThreadBlock &thread, const NodePlace &place, const gs_node_params_t &wanted,
                              gs_node_t *out) noexcept;

// ---- what the above are made of; under the graph's mutex

// Assigns a new node its number, and keeps the note unless it is empty. After a failure the node is gone.
Status remember(ThreadBlock &thread, GraphSlot &graph, uintptr_t native, NodeNote &&note, gs_node_t *out) noexcept;
// Removes a node that the driver has added, since something else failed.
void take_back(ThreadBlock &thread, GraphSlot &graph, uintptr_t native) noexcept;
// NOT_SUPPORTED for nodes that a body cannot have, CONTEXT_LOST and the like for a device that cannot be used, and
// INVALID_ARGUMENT for wrong predecessors, which it returns as the driver knows them. It comes before anything that the
// graph then holds and before anything that nothing can undo: a refused call leaves no trace.
Status check_addition(const GraphSlot &graph, const NodePlace &place, int32_t kind,
                      std::vector<uintptr_t> *out_after) noexcept;
// The note is empty (kind OTHER) where the driver tells everything.
Status add_native(ThreadBlock &thread, GraphSlot &graph, const std::vector<uintptr_t> &after, const NodeParams &params,
                  NodeNote note, gs_node_t *out) noexcept;

} // namespace gs
