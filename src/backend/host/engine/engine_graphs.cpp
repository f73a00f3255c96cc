// SPDX-License-Identifier: Apache-2.0
// Graphs built node by node, and questions about them.
#include <new>

#include "backend/host/engine/engine.hpp"

namespace gs::host {

// If the caller does not keep the graph, it deletes it and removes it from table_. Throws bad_alloc.
std::unique_ptr<Graph> Engine::new_graph(Device &device) {
    auto graph = std::make_unique<Graph>();
    graph->id = table_.ids.take();
    graph->device = &device;
    table_.add(*graph);
    return graph;
}

GraphNode &Engine::new_node(Graph &graph, const NodeBody &body, GraphNode *const *after, size_t count) {
    GraphNode &node = add_node(graph, table_.ids, body, after, count);
    try {
        table_.add(node);
    } catch (const std::bad_alloc &) {
        remove_node(node);
        throw;
    }
    return node;
}

Result Engine::graph_create(Device &device, Graph **out) noexcept {
    const Result health = health_of(device);
    if (health != Result::Ok) return health;
    MutexLock lock(graph_mutex_);
    try {
        *out = new_graph(device).release();
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Result Engine::graph_destroy(Graph &graph) noexcept {
    std::unique_ptr<Graph> dead; // what it keeps is released with no lock held
    MutexLock lock(graph_mutex_);
    if (graph.parent || graph.destroyed) return Result::InvalidValue;
    if (!outlives(captures_, graph)) dead = end_graph(graph);
    return Result::Ok;
}

std::unique_ptr<Graph> Engine::end_graph(Graph &root) noexcept {
    table_.remove(root);
    root.destroyed = root.ended = true;
    return root.pins == 0 ? std::unique_ptr<Graph>(&root) : nullptr;
}

Result Engine::graph_clone(const Graph &graph, Graph **out) noexcept {
    MutexLock lock(graph_mutex_);
    if (is_single(graph)) return Result::NotSupported;
    try {
        std::unique_ptr<Graph> made = copy_graph(graph, table_.ids, false);
        table_.add(*made);
        *out = made.release();
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Graph *Engine::find_graph(uint64_t id) noexcept {
    MutexLock lock(graph_mutex_);
    Graph *graph = table_.graph(id);
    return graph && !root_of(*graph).destroyed ? graph : nullptr;
}

Graph *Engine::pin_graph(uint64_t id) noexcept {
    MutexLock lock(graph_mutex_);
    Graph *graph = table_.graph(id);
    if (!graph || root_of(*graph).destroyed) return nullptr;
    ++root_of(*graph).pins;
    return graph;
}

void Engine::unpin_graph(Graph &graph) noexcept {
    std::unique_ptr<Graph> dead; // deleted last, with no lock held
    MutexLock lock(graph_mutex_);
    Graph &root = root_of(graph);
    if (--root.pins == 0 && root.ended) dead = end_graph(root); // with the nodes that it got since
}

GraphNode *Engine::find_node(uint64_t id) noexcept {
    MutexLock lock(graph_mutex_);
    return table_.node(id);
}

Result Engine::graph_add(Graph &graph, const NodeBody &body, GraphNode *const *after, size_t count,
                         GraphNode **out) noexcept {
    MutexLock lock(graph_mutex_);
    for (size_t i = 0; i < count; ++i)
        if (after[i]->graph != &graph) return Result::InvalidValue;
    if (!admits(graph, body.kind)) return Result::NotSupported;
    if (body.kind == NodeKind::Record && body.event->device != body.device) return Result::WrongDevice;
    if (body.kind == NodeKind::Record && body.event->options.interprocess) return Result::InterprocessRecord;
    if (body.condition && (body.condition->graph != &root_of(graph) || body.condition->used.exchange(true)))
        return Result::InvalidValue;
    try {
        *out = &new_node(graph, body, after, count);
    } catch (const std::bad_alloc &) {
        if (body.condition) body.condition->used.store(false);
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Result Engine::graph_add_child(Graph &graph, const Graph &child, GraphNode *const *after, size_t count,
                               GraphNode **out) noexcept {
    MutexLock lock(graph_mutex_);
    for (const NodeKind kind :
         {NodeKind::Condition, NodeKind::Alloc, NodeKind::Free, NodeKind::Host, NodeKind::Record, NodeKind::Wait}) {
        const bool never = kind == NodeKind::Condition || kind == NodeKind::Alloc || kind == NodeKind::Free;
        if ((never || !admits(graph, kind)) && contains(child, kind)) return Result::NotSupported;
    }
    for (size_t i = 0; i < count; ++i)
        if (after[i]->graph != &graph) return Result::InvalidValue;
    try {
        *out = &add_child(graph, child, graph.device, after, count);
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

GraphNode &Engine::add_child(Graph &graph, const Graph &child, Device *device, GraphNode *const *after, size_t count) {
    NodeBody body;
    body.kind = NodeKind::Child;
    body.device = device;
    std::unique_ptr<Graph> copy = copy_graph(child, table_.ids, false);
    GraphNode &node = add_node(graph, table_.ids, body, after, count);
    try {
        node.graphs.reserve(1);
        copy->parent = &node;
        node.graphs.push_back(std::move(copy));
        table_.add(node);
    } catch (const std::bad_alloc &) {
        remove_node(node);
        throw;
    }
    return node;
}

Result Engine::graph_add_condition(Graph &graph, GraphCondition &condition, ConditionType type, size_t bodies,
                                   GraphNode *const *after, size_t count, GraphNode **out) noexcept {
    const size_t most = type == ConditionType::While ? 1 : type == ConditionType::If ? 2 : SIZE_MAX;
    if (bodies == 0 || bodies > most) return Result::InvalidValue;
    MutexLock lock(graph_mutex_);
    for (size_t i = 0; i < count; ++i)
        if (after[i]->graph != &graph) return Result::InvalidValue;
    if (condition.graph != &root_of(graph) || condition.used.exchange(true)) return Result::InvalidValue;
    NodeBody body;
    body.kind = NodeKind::Condition;
    body.action = NodeAction::Branch;
    body.type = type;
    body.device = graph.device;
    condition.retain();
    body.condition = Ref<GraphCondition>(&condition);
    try {
        std::vector<std::unique_ptr<Graph>> made;
        for (size_t i = 0; i < bodies; ++i) {
            made.push_back(std::make_unique<Graph>());
            made.back()->id = table_.ids.take();
            made.back()->device = graph.device;
        }
        GraphNode &node = add_node(graph, table_.ids, body, after, count);
        node.graphs = std::move(made);
        for (const auto &inner : node.graphs) inner->parent = &node;
        try {
            table_.add(node);
        } catch (const std::bad_alloc &) {
            remove_node(node);
            throw;
        }
        *out = &node;
    } catch (const std::bad_alloc &) {
        condition.used.store(false);
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Result Engine::condition_create(Graph &graph, uint32_t at_launch, bool assign, GraphCondition **out) noexcept {
    MutexLock lock(graph_mutex_);
    try {
        Graph &root = root_of(graph);
        root.conditions.reserve(root.conditions.size() + 1);
        root.conditions.emplace_back(new GraphCondition(&root, at_launch, assign));
        *out = root.conditions.back().get();
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Result Engine::graph_edge(GraphNode &from, GraphNode &to, bool add) noexcept {
    MutexLock lock(graph_mutex_);
    if (from.graph != to.graph || &from == &to || has_edge(from, to) == add) return Result::InvalidValue;
    try {
        if (add)
            add_edge(from, to);
        else
            remove_edge(from, to);
    } catch (const std::bad_alloc &) {
        return Result::OutOfMemory;
    }
    return Result::Ok;
}

Result Engine::graph_remove(GraphNode &node) noexcept {
    std::unique_ptr<GraphNode> dead; // what it keeps is released with no lock held
    MutexLock lock(graph_mutex_);
    const NodeKind kind = node.body.kind;
    if (kind == NodeKind::Alloc || kind == NodeKind::Free || captured_into(captures_, root_of(*node.graph)))
        return Result::InvalidValue;
    table_.remove(node);
    dead = remove_node(node);
    return Result::Ok;
}

namespace {

bool add_keep(Graph &graph, void (*release)(void *), void *arg) noexcept {
    auto *keep = new (std::nothrow) Keep(release, arg);
    if (!keep) return false;
    try {
        graph.kept.reserve(graph.kept.size() + 1);
        graph.kept.emplace_back(keep);
    } catch (const std::bad_alloc &) {
        keep->disown();
        keep->release();
        return false;
    }
    return true;
}

} // namespace

Result Engine::graph_keep(Graph &graph, void (*release)(void *), void *arg) noexcept {
    MutexLock lock(graph_mutex_);
    return add_keep(graph, release, arg) ? Result::Ok : Result::OutOfMemory;
}

Result Engine::capture_keep(Stream &stream, uint64_t id, void (*release)(void *), void *arg, bool *kept) noexcept {
    MutexLock lock(graph_mutex_);
    *kept = stream.member && stream.member->capture->id == id && !stream.member->capture->broken;
    if (!*kept) return Result::Ok;
    *kept = add_keep(*stream.member->capture->graph, release, arg);
    return *kept ? Result::Ok : Result::OutOfMemory;
}

} // namespace gs::host
