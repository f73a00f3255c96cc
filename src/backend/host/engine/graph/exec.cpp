// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/graph/exec.hpp"

#include <algorithm>
#include <new>

namespace gs::host {
namespace {

// As CUDA pairs nodes: in the order of their creation, with the same dependencies in the order in which they were added.
bool same_edges(const GraphNode &a, const GraphNode &b) noexcept {
    return std::equal(a.after.begin(), a.after.end(), b.after.begin(), b.after.end(),
                      [](const GraphNode *one, const GraphNode *other) { return one->index == other->index; });
}

UpdateReport compare(const Graph &definition, const Graph &from) noexcept {
    if (definition.nodes.size() != from.nodes.size()) return {UpdateResult::TopologyChanged, 0, 0};
    for (size_t i = 0; i < from.nodes.size(); ++i) {
        const GraphNode &present = *definition.nodes[i], &wanted = *from.nodes[i];
        if (present.body.kind != wanted.body.kind) return {UpdateResult::NodeTypeChanged, present.origin, wanted.id};
        if (!same_edges(present, wanted)) return {UpdateResult::TopologyChanged, present.origin, wanted.id};
        const UpdateResult fits = may_become(present.body, wanted.body);
        if (fits != UpdateResult::Success) return {fits, present.origin, wanted.id};
        if (present.graphs.size() != wanted.graphs.size())
            return {UpdateResult::ParametersChanged, present.origin, wanted.id};
        for (size_t g = 0; g < present.graphs.size(); ++g) {
            const UpdateReport inner = compare(*present.graphs[g], *wanted.graphs[g]);
            if (inner.result != UpdateResult::Success) return inner;
        }
    }
    return {};
}

// Of conditions, too: the work of the bodies sets those of the graph.
void assign(Graph &definition, const Graph &from) {
    definition.conditions = from.conditions;
    for (size_t i = 0; i < from.nodes.size(); ++i) {
        GraphNode &present = *definition.nodes[i];
        const GraphNode &wanted = *from.nodes[i];
        present.body = wanted.body;
        for (size_t g = 0; g < present.graphs.size(); ++g) assign(*present.graphs[g], *wanted.graphs[g]);
    }
}

} // namespace

UpdateResult may_become(const NodeBody &present, const NodeBody &wanted) noexcept {
    if (present.kind != wanted.kind) return UpdateResult::NodeTypeChanged;
    if (present.device != wanted.device)
        return present.kind == NodeKind::Kernel ? UpdateResult::UnsupportedFunctionChange
                                                : UpdateResult::ParametersChanged;
    if (present.kind == NodeKind::Condition && present.type != wanted.type) return UpdateResult::ParametersChanged;
    return UpdateResult::Success;
}

UpdateReport update_definition(Graph &definition, const Graph &from) {
    const UpdateReport report = compare(definition, from);
    if (report.result != UpdateResult::Success) return report;
    assign(definition, from);
    definition.kept.clear();
    collect_kept(from, definition.kept);
    return report;
}

GraphNode *find_origin(Graph &definition, uint64_t id) noexcept {
    for (const auto &node : definition.nodes) {
        if (node->origin == id) return node.get();
        for (const auto &inner : node->graphs)
            if (GraphNode *found = find_origin(*inner, id)) return found;
    }
    return nullptr;
}

void GraphTable::add(Graph &graph) {
    try {
        graphs_.emplace(graph.id, &graph);
        for (const auto &node : graph.nodes) add(*node);
    } catch (const std::bad_alloc &) {
        remove(graph);
        throw;
    }
}

void GraphTable::remove(Graph &graph) noexcept {
    graphs_.erase(graph.id);
    for (const auto &node : graph.nodes) remove(*node);
}

void GraphTable::add(GraphNode &node) {
    try {
        nodes_.emplace(node.id, &node);
        for (const auto &inner : node.graphs) add(*inner);
    } catch (const std::bad_alloc &) {
        remove(node);
        throw;
    }
}

void GraphTable::remove(GraphNode &node) noexcept {
    nodes_.erase(node.id);
    for (const auto &inner : node.graphs) remove(*inner);
}

bool GraphTable::has_other_exec(uint64_t source, const GraphExec *exec) const noexcept {
    const auto [first, last] = execs_.equal_range(source);
    return std::any_of(first, last, [&](const auto &entry) { return entry.second != exec; });
}

void GraphTable::set_source(GraphExec &exec, uint64_t source) {
    if (exec.source == source) return;
    if (source != 0) execs_.emplace(source, &exec);
    const auto [first, last] = execs_.equal_range(exec.source);
    const auto before = std::find_if(first, last, [&](const auto &entry) { return entry.second == &exec; });
    if (before != last) execs_.erase(before);
    exec.source = source;
}

} // namespace gs::host
