// SPDX-License-Identifier: Apache-2.0
// Making, sharing and ending graphs; what they consist of; nodes added to them.
#pragma once

#include <vector>

#include "core/graph/graph_slots.hpp"

namespace gs {

// An unpublished slot for a graph of the device; `native` is to be set.
Status new_graph_slot(Device &device, GraphSlot **out) noexcept;
Status create_graph(ThreadBlock &thread, Device &device, uint64_t *out_handle) noexcept;
Status wrap_graph(ThreadBlock &thread, Device &device, uintptr_t native, uint64_t *out_handle) noexcept;
// Of a driver's graph whose slot ends. A failure goes to the log.
void destroy_native(ThreadBlock &thread, const GraphSlot &graph, uintptr_t native) noexcept;
Status release_graph(ThreadBlock &thread, uint64_t handle) noexcept;
// Puts a new slot's graph inside another one, as a body: its handle, which this returns, ends with the parent's. Under the
// root's mutex.
uint64_t put_inside(GraphSlot &parent, GraphSlot &slot, uintptr_t native) noexcept;
// Of a graph whose handles have ended, and of all inside it; without its mutex.
void give_graph_slots(GraphSlot &slot) noexcept;

Status describe_graph(ThreadBlock &thread, uint64_t graph, gs_graph_summary_t *out) noexcept;
Status list_nodes(ThreadBlock &thread, uint64_t graph, gs_node_t *out_nodes, size_t capacity,
                  size_t *out_count) noexcept;
// Pairs of nodes; capacity and count are those of nodes.
Status list_edges(ThreadBlock &thread, uint64_t graph, gs_node_t *out_nodes, size_t capacity,
                  size_t *out_count) noexcept;
Status describe_node(ThreadBlock &thread, uint64_t graph, gs_node_t node, gs_node_params_t *out) noexcept;
// Of other nodes than conditional ones of the library, none.
Status list_bodies(uint64_t graph, gs_node_t node, gs_graph_t *out_bodies, size_t capacity, size_t *out_count) noexcept;
Status native_node(uint64_t graph, gs_node_t node, uintptr_t *out) noexcept;

// ---- under the graph's mutex

struct NativeEdges {
    std::vector<uintptr_t> from;
    std::vector<uintptr_t> to;
};
// All nodes of a driver's graph, of which a slot need not exist.
Status native_nodes(ThreadBlock &thread, Graphs &graphs, GraphRef graph, std::vector<uintptr_t> *out) noexcept;
Status native_edges(ThreadBlock &thread, Graphs &graphs, GraphRef graph, NativeEdges *out) noexcept;
// Graphs inside a graph have level 1, those inside them level 2. All code that walks them calls itself for each level.
inline constexpr int kMostLevels = 64;
inline Status check_level(int level) noexcept {
    if (level <= kMostLevels) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED, "graphs are nested in each other more than %d deep", kMostLevels);
}
// The kinds of all nodes, also of those in child graphs, as bits: 1 << GS_NODE_*. level: that of the graph.
Status kinds_in(ThreadBlock &thread, Graphs &graphs, GraphRef graph, int level, uint32_t *out_kinds) noexcept;

inline constexpr uint32_t kConditionKinds = 1u << GS_NODE_CONDITION;
inline constexpr uint32_t kMemoryKinds = 1u << GS_NODE_MALLOC | 1u << GS_NODE_FREE;
inline constexpr uint32_t kNotInBodies =
    1u << GS_NODE_HOST | 1u << GS_NODE_RECORD | 1u << GS_NODE_WAIT | 1u << GS_NODE_OTHER | kMemoryKinds;

// Nodes added to graphs one by one. The graph is named by its handle; every function locks it itself and must be called
// without a CallMark.

// The parameters of nodes without other graphs in them. The call looks up and checks what they refer to; the graph, or
// the executable whose node changes, holds it.

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
// NOT_SUPPORTED: a body cannot have such a node. CONTEXT_LOST and the like: the device cannot be used.
// INVALID_ARGUMENT: wrong predecessors. *out_after: the predecessors as the driver knows them. The check comes before
// the graph holds or changes anything, so that a refused call leaves no trace.
Status check_addition(const GraphSlot &graph, const NodePlace &place, int32_t kind,
                      std::vector<uintptr_t> *out_after) noexcept;
// The note is empty (kind OTHER) where the driver tells everything.
Status add_native(ThreadBlock &thread, GraphSlot &graph, const std::vector<uintptr_t> &after, const NodeParams &params,
                  NodeNote note, gs_node_t *out) noexcept;

} // namespace gs
