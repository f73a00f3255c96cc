// SPDX-License-Identifier: Apache-2.0
#include "tools/check/graph_accesses.hpp"

#include <algorithm>

namespace gs::check {
namespace {

constexpr gs_node_t kNoNode = 0;

// The work that was declared at `then`, now that the stream has come to `now`. kNoNode: the stream has waited for others in
// between and nothing tells where the work is; the accesses are left out.
gs_node_t node_of(const std::vector<gs_node_t> &then, const std::vector<gs_node_t> &now) noexcept {
    if (now.size() == 1) return now[0];
    if (then.size() != 1 || std::find(now.begin(), now.end(), then[0]) == now.end()) return kNoNode;
    return then[0];
}

void add_known(PlanNode &node, const PlanAccess &known) {
    for (PlanAccess &access : node.accesses) {
        if (access.declared || access.label != 0 || access.kind != known.kind || access.begin != known.begin ||
            access.end != known.end)
            continue;
        access.label = known.label;
        access.stack = known.stack;
        return;
    }
    node.accesses.push_back(known);
}

} // namespace

void GraphAccesses::declare(const CapturePlace &place, const PlanAccess &access) {
    if (const auto found = pending_.find(place.stream);
        found != pending_.end() && found->second.place.nodes != place.nodes)
        pass(place);
    Pending &pending = pending_[place.stream];
    pending.place = place;
    pending.accesses.push_back(access);
}

void GraphAccesses::pass(const CapturePlace &place) {
    const auto found = pending_.find(place.stream);
    if (found == pending_.end()) return;
    const Pending pending = std::move(found->second);
    pending_.erase(found);
    const gs_node_t node = node_of(pending.place.nodes, place.nodes);
    if (pending.place.graph != place.graph || node == kNoNode) return;
    std::vector<PlanAccess> &accesses = graphs_[place.graph].accesses[node];
    accesses.insert(accesses.end(), pending.accesses.begin(), pending.accesses.end());
}

void GraphAccesses::add(const CapturePlace &place, const PlanAccess &access) {
    pass(place);
    if (place.nodes.size() == 1) graphs_[place.graph].accesses[place.nodes[0]].push_back(access);
}

void GraphAccesses::add_child(uint64_t graph, gs_node_t node, GraphPlan &&child) {
    complete(child);
    graphs_[graph].children.insert_or_assign(node, std::move(child));
}

void GraphAccesses::clone(const GraphPlan &original, const GraphPlan &copy) {
    if (!copy.is_copy(original)) return;
    for (size_t i = 0; i < original.nodes.size(); ++i) {
        const PlanNode &from = original.nodes[i];
        const PlanNode &to = copy.nodes[i];
        const auto known = graphs_.find(from.graph);
        if (from.node == kNoNode || to.node == kNoNode || known == graphs_.end()) continue;
        const OfGraph of = known->second; // a copy: the next line may move it
        OfGraph &mine = graphs_[to.graph];
        if (const auto found = of.accesses.find(from.node); found != of.accesses.end())
            mine.accesses[to.node] = found->second;
        if (const auto found = of.children.find(from.node); found != of.children.end())
            mine.children[to.node] = found->second;
    }
}

void GraphAccesses::forget_graphs(bool (*lives)(uint64_t graph)) {
    std::erase_if(graphs_, [lives](const auto &entry) { return !lives(entry.first); });
}

void GraphAccesses::complete(GraphPlan &plan) const {
    for (uint32_t i = 0; i < plan.nodes.size(); ++i) {
        PlanNode &node = plan.nodes[i];
        const auto known = graphs_.find(node.graph);
        if (node.node == kNoNode || known == graphs_.end()) continue;
        if (const auto found = known->second.accesses.find(node.node); found != known->second.accesses.end())
            for (const PlanAccess &access : found->second) add_known(node, access);
        const auto child = known->second.children.find(node.node);
        if (child == known->second.children.end() || !plan.is_copy_inside(i, child->second)) continue;
        for (uint32_t k = 0; k < child->second.nodes.size(); ++k)
            plan.nodes[i + 1 + k].accesses = child->second.nodes[k].accesses;
    }
    plan.draw_lines();
}

} // namespace gs::check
