// SPDX-License-Identifier: Apache-2.0
// Graphs inside graphs: child graphs, conditional nodes with their bodies; and copies.
#include <algorithm>
#include <new>

#include "core/graph/graph_calls.hpp"
#include "core/graph/graph_holds.hpp"
#include "core/names.hpp"

namespace gs {
namespace {

// Two graphs, locked in an order that all threads share.
class TwoGraphs {
public:
    Status find(uint64_t graph, uint64_t inner_graph) noexcept {
        const GraphSlot *first = graph_slots().find(graph), *second = graph_slots().find(inner_graph);
        if (!first) return no_such_object(Kind::Graph, graph);
        if (!second) return no_such_object(Kind::Graph, inner_graph);
        const GraphSlot *outer = first->root.load(std::memory_order_acquire);
        const GraphSlot *inner = second->root.load(std::memory_order_acquire);
        if (outer == inner) {
            GS_TRY(parent.find(graph));
            return refuse_related(graph, inner_graph);
        }
        if (outer < inner) GS_TRY(parent.find(graph));
        GS_TRY(child.find(inner_graph));
        return outer < inner ? kOk : parent.find(graph);
    }

    LockedGraph parent;
    LockedGraph child;

private:
    static Status refuse_related(uint64_t graph, uint64_t inner_graph) noexcept {
        if (graph == inner_graph) return fail(GS_ERROR_INVALID_ARGUMENT, "a graph cannot contain itself");
        return fail(GS_ERROR_NOT_PERMITTED, "a graph and a body of it cannot contain each other as child graphs");
    }
};

Status refuse_kinds(uint32_t kinds, const char *use) noexcept {
    return fail(GS_ERROR_NOT_SUPPORTED, "%s: the graph has nodes %s", use,
                kinds & kConditionKinds ? "with conditions" : "that allocate or free memory");
}

Status check_child(ThreadBlock &thread, const GraphSlot &graph, const GraphSlot &child) noexcept {
    if (child.use == GraphUse::Inside)
        return fail(GS_ERROR_NOT_PERMITTED, "a body of a conditional node cannot be a child graph");
    if (child.use == GraphUse::Captured)
        return fail(GS_ERROR_NOT_PERMITTED, "a stream is being captured into the child graph");
    if (child.device != graph.device)
        return fail(GS_ERROR_DEVICE_MISMATCH, "the child graph is of %s device %d, the graph of %s device %d",
                    child.device->backend->name(), child.device->ordinal, graph.device->backend->name(),
                    graph.device->ordinal);
    uint32_t kinds = child.notes.any_condition() ? kConditionKinds : 0;
    if (!kinds) GS_TRY(kinds_in(thread, *child.graphs, child.ref(), graph.level + 1, &kinds));
    if (kinds & (kConditionKinds | kMemoryKinds)) return refuse_kinds(kinds, "it cannot be a child graph");
    if (graph.use == GraphUse::Inside && (kinds & kNotInBodies))
        return fail(GS_ERROR_NOT_SUPPORTED, "the child graph has nodes that a body of a conditional node cannot have");
    return kOk;
}

// The slots of a condition's bodies, which are given back unless the node is added.
class NewBodies {
public:
    NewBodies() noexcept = default;
    NewBodies(const NewBodies &) = delete;
    NewBodies &operator=(const NewBodies &) = delete;
    ~NewBodies() {
        for (GraphSlot *slot : slots_) give_graph_slot(*slot);
    }

    Status prepare(Device &device, size_t count) noexcept {
        try {
            slots_.reserve(count);
            handles_.reserve(count);
        } catch (const std::bad_alloc &) {
            return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a conditional node");
        }
        for (size_t i = 0; i < count; ++i) {
            GraphSlot *slot = nullptr;
            GS_TRY(new_graph_slot(device, &slot));
            slots_.push_back(slot);
        }
        return kOk;
    }
    // Puts them into the node's graph and returns their handles.
    std::vector<uint64_t> put(GraphSlot &graph, const uintptr_t *natives) noexcept {
        for (size_t i = 0; i < slots_.size(); ++i) handles_.push_back(put_inside(graph, *slots_[i], natives[i]));
        slots_.clear();
        return static_cast<std::vector<uint64_t> &&>(handles_);
    }

private:
    std::vector<GraphSlot *> slots_;
    std::vector<uint64_t> handles_;
};

// Whether `graph` is inside the bodies of the condition, at any depth.
bool inside(const GraphSlot &graph, const NodeNote &condition) noexcept {
    return std::any_of(condition.bodies.begin(), condition.bodies.end(), [&](uint64_t handle) {
        const GraphSlot *body = graph_slots().find(handle);
        if (body == &graph) return true;
        if (!body) return false;
        return body->notes.any([&](const NodeNote &note) { return inside(graph, note); });
    });
}

// Whether there is a way from one node to another.
Status leads_to(ThreadBlock &thread, const GraphSlot &graph, uintptr_t from, const std::vector<uintptr_t> &to,
                bool *out) noexcept {
    NativeEdges edges;
    GS_TRY(native_edges(thread, *graph.graphs, graph.ref(), &edges));
    try {
        std::vector<uintptr_t> reached{from};
        for (size_t i = 0; i < reached.size(); ++i) {
            *out = std::find(to.begin(), to.end(), reached[i]) != to.end();
            if (*out) return kOk;
            for (size_t edge = 0; edge < edges.from.size(); ++edge)
                if (edges.from[edge] == reached[i] &&
                    std::find(reached.begin(), reached.end(), edges.to[edge]) == reached.end())
                    reached.push_back(edges.to[edge]);
        }
        return kOk;
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to look for a cycle");
    }
}

Status refuse_cycle(ThreadBlock &thread, const GraphSlot &graph, const std::vector<uintptr_t> &after,
                    uintptr_t condition) noexcept {
    bool cycle = false;
    GS_TRY(leads_to(thread, graph, condition, after, &cycle));
    if (!cycle) return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "the node would have to run before the condition and after it: a cycle");
}

} // namespace

Status add_graph_node(ThreadBlock &thread, const NodePlace &place, uint64_t child, gs_node_t *out) noexcept {
    TwoGraphs both;
    GS_TRY(both.find(place.graph, child));
    GraphSlot &graph = *both.parent;
    std::vector<uintptr_t> after;
    GS_TRY(check_addition(graph, place, GS_NODE_GRAPH, &after));
    GS_TRY(check_child(thread, graph, *both.child));
    GS_TRY(hold_as(thread, graph, *both.child));
    GS_TRY(hold_modules_of(thread, graph, *both.child));
    GS_TRY(hold_random_of(graph, *both.child));
    NodeParams params;
    params.kind = GS_NODE_GRAPH;
    params.child = both.child->native;
    NodeNote note;
    GS_TRY(note_name(GS_NODE_GRAPH, child, &note));
    return add_native(thread, graph, after, params, static_cast<NodeNote &&>(note), out);
}

Status add_condition_node(ThreadBlock &thread, const NodePlace &place, const gs_node_params_t &wanted,
                          gs_node_t *out) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(place.graph));
    std::vector<uintptr_t> after;
    GS_TRY(check_addition(*graph, place, GS_NODE_CONDITION, &after));
    GS_TRY(check_level(graph->level + 1));
    // A node that the driver has cannot fail any more but by its number, so all else comes first.
    NewBodies bodies;
    GS_TRY(bodies.prepare(*graph->device, wanted.body_count));
    uintptr_t natives[kMostBodies] = {};
    NodeNote note;
    note.kind = GS_NODE_CONDITION;
    note.condition_type = wanted.condition_kind;
    note.initial = wanted.initial;
    GS_TRY(graph->graphs->condition_create(thread, graph->ref(), wanted.initial, &note.condition));
    NodeParams params;
    params.kind = GS_NODE_CONDITION;
    params.condition = {wanted.condition_kind, note.condition, wanted.body_count, natives};
    gs_node_t node = 0;
    GS_TRY(add_native(thread, *graph, after, params, static_cast<NodeNote &&>(note), &node));
    graph->notes.set_bodies(node, bodies.put(*graph, natives));
    *out = node;
    return kOk;
}

Status add_set_condition_node(ThreadBlock &thread, const NodePlace &place, const gs_node_params_t &wanted,
                              gs_node_t *out) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(place.graph));
    const uint64_t owner = handle_bits(wanted.graph);
    GraphSlot *home = graph_slots().find(owner); // shares the lock if it is graph or around it
    if (!home) return no_such_object(Kind::Graph, owner);
    if (home->root.load(std::memory_order_acquire) != graph->root.load(std::memory_order_relaxed))
        return fail(GS_ERROR_INVALID_ARGUMENT, "the graph is not inside the one that has the condition");
    uintptr_t native = 0;
    GS_TRY(home->nodes.native_of(wanted.condition, &native));
    const NodeNote *note = home->notes.find(wanted.condition);
    if (!note || note->kind != GS_NODE_CONDITION)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the node is no conditional node of the library");
    const bool own = home == &*graph;
    if (!own && !inside(*graph, *note))
        return fail(GS_ERROR_INVALID_ARGUMENT, "the graph is neither the one of the condition nor a body inside it");
    std::vector<uintptr_t> after;
    GS_TRY(check_addition(*graph, place, GS_NODE_SET_CONDITION, &after));
    if (own) GS_TRY(refuse_cycle(thread, *graph, after, native));
    NodeParams params;
    params.kind = GS_NODE_SET_CONDITION;
    params.set_condition = {note->condition, static_cast<const uint32_t *>(wanted.src)};
    NodeNote mine;
    mine.kind = GS_NODE_SET_CONDITION;
    mine.word = wanted.src;
    uintptr_t setter = 0;
    GS_TRY(graph->graphs->node_add(thread, graph->ref(), after.data(), after.size(), params, &setter));
    if (own) {
        const Status status = graph->graphs->add_edges(thread, graph->ref(), &setter, &native, 1);
        if (!status.ok()) {
            take_back(thread, *graph, setter);
            return status;
        }
    }
    return remember(thread, *graph, setter, static_cast<NodeNote &&>(mine), out);
}

Status clone_graph(ThreadBlock &thread, uint64_t handle, uint64_t *out_handle) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(handle));
    GS_TRY(check_health(*graph->device));
    if (graph->use == GraphUse::Captured) return fail(GS_ERROR_CAPTURING, "a stream is being captured into the graph");
    uint32_t kinds = graph->notes.any_condition() ? kConditionKinds : 0;
    if (!kinds) GS_TRY(kinds_in(thread, *graph->graphs, graph->ref(), 0, &kinds));
    if (kinds & (kConditionKinds | kMemoryKinds)) return refuse_kinds(kinds, "it cannot be cloned");
    GraphSlot *copy = nullptr;
    GS_TRY(new_graph_slot(*graph->device, &copy));
    Status status = graph->graphs->graph_clone(thread, graph->ref(), &copy->native);
    if (status.ok()) {
        status = hold_as(thread, *copy, *graph);
        if (status.ok()) status = hold_modules_of(thread, *copy, *graph);
        if (status.ok()) status = hold_random_of(*copy, *graph);
        if (!status.ok()) graph->graphs->graph_destroy(thread, copy->ref()).ignore();
    }
    if (!status.ok()) {
        give_graph_slot(*copy);
        return status;
    }
    *out_handle = publish_graph(*copy);
    return kOk;
}

} // namespace gs
