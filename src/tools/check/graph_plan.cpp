// SPDX-License-Identifier: Apache-2.0
#include "tools/check/graph_plan.hpp"

#include <algorithm>
#include <map>

namespace gs::check {
namespace {

bool same_memory(const PlanNode &one, const PlanNode &other) noexcept {
    size_t at = 0;
    const auto next = [&](const PlanNode &node, size_t from) {
        while (from < node.accesses.size() && node.accesses[from].declared) ++from;
        return from;
    };
    for (size_t i = next(one, 0); i < one.accesses.size(); i = next(one, i + 1)) {
        at = next(other, at);
        if (at == other.accesses.size()) return false;
        const PlanAccess &a = one.accesses[i];
        const PlanAccess &b = other.accesses[at++];
        if (a.kind != b.kind || a.begin != b.begin || a.end != b.end) return false;
    }
    return next(other, at) == other.accesses.size();
}

bool same_node(const PlanNode &copy, const PlanNode &original) noexcept {
    return copy.kind == original.kind && copy.inside == original.inside && same_memory(copy, original);
}

} // namespace

PlanEdges::PlanEdges(const std::vector<uintptr_t> &nodes, const std::vector<uintptr_t> &from,
                     const std::vector<uintptr_t> &to)
    : after(nodes.size()), before(nodes.size()) {
    std::map<uintptr_t, uint32_t> places;
    for (uint32_t i = 0; i < nodes.size(); ++i) places[nodes[i]] = i;
    for (size_t i = 0; i < from.size(); ++i) {
        const auto first = places.find(from[i]), second = places.find(to[i]);
        if (first == places.end() || second == places.end()) continue; // one-sided: nodes that have just been added
        after[second->second].push_back(first->second);
        before[first->second].push_back(second->second);
    }
    std::vector<size_t> missing(nodes.size());
    for (uint32_t i = 0; i < nodes.size(); ++i)
        if ((missing[i] = after[i].size()) == 0) order.push_back(i);
    for (size_t next = 0; next < order.size(); ++next)
        for (const uint32_t later : before[order[next]])
            if (--missing[later] == 0) order.push_back(later);
}

void GraphPlan::draw_lines() {
    lines = 0;
    std::vector<bool> goes_on(nodes.size());
    for (uint32_t i = 0; i < nodes.size(); ++i) {
        PlanNode &node = nodes[i];
        const auto found =
            std::find_if(node.after.begin(), node.after.end(), [&](uint32_t before) { return !goes_on[before]; });
        for (const uint32_t before : node.after) ++nodes[before].successors;
        if (found == node.after.end()) {
            node.line = lines++;
            continue;
        }
        node.line = nodes[*found].line;
        goes_on[*found] = true;
    }
}

bool GraphPlan::is_copy_inside(uint32_t at, const GraphPlan &plan) const noexcept {
    if (nodes[at].inside != plan.nodes.size()) return false;
    for (uint32_t i = 0; i < plan.nodes.size(); ++i) {
        const PlanNode &copy = nodes[at + 1 + i];
        const PlanNode &original = plan.nodes[i];
        if (!same_node(copy, original)) return false;
        if (original.after.empty() && (copy.after.size() != 1 || copy.after[0] != at)) return false;
        if (!original.after.empty() && copy.after.size() != original.after.size()) return false;
        for (size_t k = 0; k < original.after.size(); ++k)
            if (copy.after[k] != original.after[k] + at + 1) return false;
    }
    return true;
}

bool GraphPlan::is_copy(const GraphPlan &plan) const noexcept {
    return nodes.size() == plan.nodes.size() &&
           std::equal(nodes.begin(), nodes.end(), plan.nodes.begin(),
                      [](const PlanNode &a, const PlanNode &b) { return same_node(a, b) && a.after == b.after; });
}

PlanNode *GraphPlan::find(gs_node_t node) noexcept {
    const auto found =
        std::find_if(nodes.begin(), nodes.end(), [node](const PlanNode &one) { return one.node == node; });
    return found == nodes.end() ? nullptr : &*found;
}

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
