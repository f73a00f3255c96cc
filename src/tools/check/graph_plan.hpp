// SPDX-License-Identifier: Apache-2.0
// What a launch of an executable graph does to memory and order: its nodes, including those of child graphs and of the
// bodies of conditions, each behind its predecessors.
//
// Bodies of a condition count as if each ran once, one after the other: those of one condition never run at the same time,
// and each may.
#pragma once

#include <utility>
#include <vector>

#include "gpustream.h"
#include "tools/check/access.hpp"

namespace gs::check {

struct PlanAccess {
    AccessKind kind = AccessKind::Read;
    bool declared = false; // else the driver knows it
    uintptr_t begin = 0, end = 0;
    uint32_t label = 0, stack = 0; // of Texts; 0: none
};

struct PlanNode {
    uint64_t graph = 0; // the handle of the graph that it is a node of; 0: a child graph, which has none
    gs_node_t node = 0; // 0: of a child graph, or the end of a node with others inside
    int32_t kind = GS_NODE_OTHER;
    bool enabled = true;
    uint32_t inside = 0; // so many of the next nodes are inside this one
    uint32_t line = 0;   // nodes of one line come one after the other; line 0 goes on with the stream's own
    uint32_t successors = 0;
    std::vector<uint32_t> after; // smaller indices
    std::vector<PlanAccess> accesses;
};

// The nodes of one graph, by their places in its list.
struct PlanEdges {
    std::vector<std::vector<uint32_t>> after, before;
    std::vector<uint32_t> order; // all, each behind those that it comes after; fewer if there is a cycle

    // May throw std::bad_alloc.
    PlanEdges(const std::vector<uintptr_t> &nodes, const std::vector<uintptr_t> &from,
              const std::vector<uintptr_t> &to);
};

struct GraphPlan {
    std::vector<PlanNode> nodes;
    uint32_t lines = 0;

    // May throw std::bad_alloc.
    uint32_t add(uint64_t graph, gs_node_t node, int32_t kind, const std::vector<uint32_t> &after) {
        PlanNode added;
        added.graph = graph;
        added.node = node;
        added.kind = kind;
        added.after = after;
        nodes.push_back(std::move(added));
        return static_cast<uint32_t>(nodes.size() - 1);
    }
    // As few lines as are easily found: a node goes on with the line of the first node before it that no other has gone on with.
    void draw_lines();
    // The nodes inside the one at `at` are copies of the plan's: same kinds, same edges, same memory. A graph's copy has its nodes
    // in the same order, as a rule. If all this is the same, which node is whose copy makes no difference.
    bool is_copy_inside(uint32_t at, const GraphPlan &plan) const noexcept;
    bool is_copy(const GraphPlan &plan) const noexcept;
    PlanNode *find(gs_node_t node) noexcept;
};

} // namespace gs::check
