// SPDX-License-Identifier: Apache-2.0
// The parameters of nodes that other graphs have no part in: what they refer to is looked up, checked, and held by the
// graph, or by the executable whose node changes.
#pragma once

#include "core/graph/graph_slots.hpp"

namespace gs {

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

} // namespace gs
