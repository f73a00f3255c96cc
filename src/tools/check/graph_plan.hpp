// SPDX-License-Identifier: Apache-2.0
// What a launch of an executable graph does to memory and order: its nodes, including those of child graphs and of the
// bodies of conditions, each behind its predecessors.
//
// Bodies of a condition count as if each ran once, one after the other: those of one condition never run at the same time,
// and each may.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "base/thread_block.hpp"
#include "gpustream.h"
#include "tools/check/access.hpp"
#include "tools/check/stream_order.hpp"

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

// Reads the plan of a graph from its driver.

// Locks the graph: to be called without a CallMark and without the checker's lock. False: it cannot be read. The plan has no
// lines yet, and of accesses those that the driver knows.
bool read_plan(ThreadBlock &thread, uint64_t graph, GraphPlan *out) noexcept;

// What the checker knows of graphs that their drivers do not: accesses that were declared in captures, and memory that captured
// calls allocate and free. And the plans of executables.

// Where a stream that is being captured has come to.
struct CapturePlace {
    StreamKey stream;
    uint64_t graph = 0;
    std::vector<gs_node_t> nodes; // that its next node will come after
};

// All of it may throw std::bad_alloc; the checker can then only be destroyed.
class GraphAccesses {
public:
    // An access of work that is captured before or after the call. It is given to the node at which the stream is at its next
    // call; so to the work that follows at once, or else to the work before.
    void declare(const CapturePlace &place, const PlanAccess &access);
    // The stream has captured a call, or the capture is about to end.
    void pass(const CapturePlace &place);
    // Of the call that has just been captured.
    void add(const CapturePlace &place, const PlanAccess &access);
    // Of a node that was added by itself.
    void add(uint64_t graph, gs_node_t node, const PlanAccess &access) {
        graphs_[graph].accesses[node].push_back(access);
    }

    void add_child(uint64_t graph, gs_node_t node, GraphPlan &&child);
    void clone(const GraphPlan &original, const GraphPlan &copy);
    void forget_graphs(bool (*lives)(uint64_t graph));
    void forget(uint64_t graph) noexcept { graphs_.erase(graph); }

    // Adds what is known here, or where it was captured if the driver knows the access as well; and draws the lines.
    void complete(GraphPlan &plan) const;
    void set_plan(uint64_t exec, GraphPlan &&plan) { execs_.insert_or_assign(exec, std::move(plan)); }
    GraphPlan *plan_of(uint64_t exec) noexcept {
        const auto found = execs_.find(exec);
        return found == execs_.end() ? nullptr : &found->second;
    }
    void end_exec(uint64_t exec) noexcept { execs_.erase(exec); }

private:
    struct Pending {
        CapturePlace place;
        std::vector<PlanAccess> accesses;
    };
    struct OfGraph {
        std::map<gs_node_t, std::vector<PlanAccess>> accesses;
        std::map<gs_node_t, GraphPlan> children;
    };
    std::map<StreamKey, Pending> pending_;
    std::map<uint64_t, OfGraph> graphs_;
    std::map<uint64_t, GraphPlan> execs_;
};

} // namespace gs::check
