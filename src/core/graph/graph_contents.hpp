// SPDX-License-Identifier: Apache-2.0
// What graphs consist of.
#pragma once

#include <vector>

#include "core/graph/graph_slots.hpp"

namespace gs {

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

} // namespace gs
