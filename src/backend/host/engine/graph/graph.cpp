// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/graph/graph.hpp"

#include <algorithm>

#include "backend/host/engine/memory_table.hpp"

namespace gs::host {

Work::~Work() {
    if (task_.drop) task_.drop(task_.arg);
}

bool Work::make(Task *out) noexcept {
    if (task_.copy) {
        void *arg = task_.copy(task_.arg);
        if (!arg) return false;
        *out = {task_.run, task_.drop, arg, nullptr, task_.start};
        return true;
    }
    retain();
    const auto run = [](void *work) { static_cast<Work *>(work)->task_.run(static_cast<Work *>(work)->task_.arg); };
    const auto drop = [](void *work) { static_cast<Work *>(work)->release(); };
    *out = {run, drop, this};
    return true;
}

GraphBlock::~GraphBlock() { MemoryTable::release(pointer); }

namespace {

void forget(std::vector<GraphNode *> &list, const GraphNode &node) noexcept {
    list.erase(std::remove(list.begin(), list.end(), &node), list.end());
}

// Makes room, so that one push_back() cannot fail.
template <typename T>
void make_room(std::vector<T> &list) {
    if (list.size() == list.capacity()) list.reserve(2 * list.size() + 4);
}

void copy_nodes(const Graph &from, Graph &to, GraphIds &ids, bool exact) {
    for (const auto &node : from.nodes) {
        std::vector<GraphNode *> after;
        GraphNode &made = add_node(to, ids, node->body, nullptr, 0);
        made.enabled = node->enabled;
        if (exact) made.origin = node->origin;
        for (const auto &inner : node->graphs) {
            made.graphs.push_back(copy_graph(*inner, ids, exact));
            made.graphs.back()->parent = &made;
        }
    }
    for (const auto &node : from.nodes)
        for (const GraphNode *before : node->after) add_edge(*to.nodes[before->index], *to.nodes[node->index]);
}

} // namespace

GraphNode &add_node(Graph &graph, GraphIds &ids, const NodeBody &body, GraphNode *const *after, size_t count) {
    auto node = std::make_unique<GraphNode>();
    node->id = node->origin = ids.take();
    node->graph = &graph;
    node->index = static_cast<uint32_t>(graph.nodes.size());
    node->body = body;
    node->after.reserve(count);
    for (size_t i = 0; i < count; ++i)
        if (std::find(node->after.begin(), node->after.end(), after[i]) == node->after.end())
            node->after.push_back(after[i]);
    for (GraphNode *before : node->after) make_room(before->before);
    graph.nodes.push_back(std::move(node));
    GraphNode &made = *graph.nodes.back();
    for (GraphNode *before : made.after) before->before.push_back(&made); // there is room
    return made;
}

bool has_edge(const GraphNode &from, const GraphNode &to) noexcept {
    return std::find(to.after.begin(), to.after.end(), &from) != to.after.end();
}

void add_edge(GraphNode &from, GraphNode &to) {
    if (has_edge(from, to)) return;
    make_room(from.before);
    to.after.push_back(&from);
    from.before.push_back(&to);
}

void remove_edge(GraphNode &from, GraphNode &to) noexcept {
    forget(to.after, from);
    forget(from.before, to);
}

std::unique_ptr<GraphNode> remove_node(GraphNode &node) noexcept {
    for (GraphNode *before : node.after) forget(before->before, node);
    for (GraphNode *later : node.before) forget(later->after, node);
    auto &nodes = node.graph->nodes;
    const uint32_t index = node.index;
    std::unique_ptr<GraphNode> removed = std::move(nodes[index]);
    nodes.erase(nodes.begin() + index);
    for (uint32_t i = index; i < nodes.size(); ++i) nodes[i]->index = i;
    return removed;
}

std::unique_ptr<Graph> copy_graph(const Graph &graph, GraphIds &ids, bool exact) {
    auto made = std::make_unique<Graph>();
    made->id = ids.take();
    made->device = graph.device;
    made->kept = graph.kept;
    if (exact) made->conditions = graph.conditions;
    copy_nodes(graph, *made, ids, exact);
    return made;
}

std::vector<const GraphNode *> in_order(const Graph &graph) {
    std::vector<const GraphNode *> order;
    std::vector<size_t> missing;
    order.reserve(graph.nodes.size());
    missing.reserve(graph.nodes.size());
    for (const auto &node : graph.nodes) {
        missing.push_back(node->after.size());
        if (node->after.empty()) order.push_back(node.get());
    }
    for (size_t i = 0; i < order.size(); ++i)
        for (const GraphNode *later : order[i]->before)
            if (--missing[later->index] == 0) order.push_back(later);
    return order;
}

bool contains(const Graph &graph, NodeKind kind) noexcept {
    for (const auto &node : graph.nodes) {
        if (node->body.kind == kind) return true;
        for (const auto &inner : node->graphs)
            if (contains(*inner, kind)) return true;
    }
    return false;
}

bool has_memory(const Graph &graph) noexcept {
    return contains(graph, NodeKind::Alloc) || contains(graph, NodeKind::Free);
}

void collect_kept(const Graph &graph, std::vector<Ref<Keep>> &out) {
    out.insert(out.end(), graph.kept.begin(), graph.kept.end());
    for (const auto &node : graph.nodes)
        for (const auto &inner : node->graphs) collect_kept(*inner, out);
}

void gather_kept(Graph &graph) {
    for (const auto &node : graph.nodes) {
        for (const auto &inner : node->graphs) {
            gather_kept(*inner);
            graph.kept.insert(graph.kept.end(), inner->kept.begin(), inner->kept.end());
            inner->kept.clear();
        }
    }
}

bool admits(const Graph &graph, NodeKind kind) noexcept {
    bool body = false;
    for (const Graph *at = &graph; at->parent && !body; at = at->parent->graph)
        body = at->parent->body.kind == NodeKind::Condition;
    if (!body) return !graph.parent || (kind != NodeKind::Alloc && kind != NodeKind::Free);
    switch (kind) {
    case NodeKind::Empty:
    case NodeKind::Kernel:
    case NodeKind::Copy:
    case NodeKind::Fill:
    case NodeKind::Child:
    case NodeKind::Condition: return true;
    default: return false;
    }
}

Graph &root_of(Graph &graph) noexcept {
    Graph *root = &graph;
    while (root->parent) root = root->parent->graph;
    return *root;
}

const Graph &root_of(const Graph &graph) noexcept { return root_of(const_cast<Graph &>(graph)); }

} // namespace gs::host
