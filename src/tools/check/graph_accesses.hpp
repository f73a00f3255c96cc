// SPDX-License-Identifier: Apache-2.0
// What the checker knows of graphs that their drivers do not: accesses that were declared in captures, and memory that captured
// calls allocate and free. And the plans of executables.
#pragma once

#include <map>

#include "tools/check/graph_plan.hpp"
#include "tools/check/stream_order.hpp"

namespace gs::check {

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
