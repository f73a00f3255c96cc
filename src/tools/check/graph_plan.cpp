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

} // namespace gs::check
