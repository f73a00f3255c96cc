// SPDX-License-Identifier: Apache-2.0
#include "core/graph/add_nodes.hpp"

#include <algorithm>
#include <new>

#include "base/sort.hpp"
#include "core/graph/node_objects.hpp"
#include "core/lookup.hpp"

namespace gs {
namespace {

Status refuse_twice() noexcept {
    return fail(GS_ERROR_INVALID_ARGUMENT, "a node is named twice among the predecessors");
}

// In the caller's order: an executable is updated only by a graph whose nodes got their predecessors in the same order.
Status predecessors(const GraphSlot &graph, const NodePlace &place, std::vector<uintptr_t> *out) noexcept {
    GS_TRY(graph.nodes.natives_of(place.after, place.count, out));
    if (place.count < 2) return kOk;
    if (place.count == 2) return (*out)[0] == (*out)[1] ? refuse_twice() : kOk;
    try {
        std::vector<uintptr_t> sorted(*out);
        sort_elements(sorted.data(), sorted.size());
        return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end() ? kOk : refuse_twice();
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the predecessors of a node");
    }
}

} // namespace

Status remember(ThreadBlock &thread, GraphSlot &graph, uintptr_t native, NodeNote &&note, gs_node_t *out) noexcept {
    gs_node_t number = 0;
    Status status = graph.nodes.number_of(native, &number);
    try {
        if (status.ok() && note.kind != GS_NODE_OTHER) graph.notes.add(number, static_cast<NodeNote &&>(note));
    } catch (const std::bad_alloc &) {
        status = fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another node");
    }
    if (!status.ok()) {
        take_back(thread, graph, native);
        return status;
    }
    *out = number;
    return kOk;
}

void take_back(ThreadBlock &thread, GraphSlot &graph, uintptr_t native) noexcept {
    const gs_error_info_t first = thread.pending; // the failure to be reported
    graph.graphs->node_remove(thread, graph.ref(), native).ignore();
    thread.pending = first;
    graph.nodes.forget(native);
}

Status check_addition(const GraphSlot &graph, const NodePlace &place, int32_t kind,
                      std::vector<uintptr_t> *out_after) noexcept {
    GS_TRY(check_health(*graph.device));
    if (graph.use == GraphUse::Inside && needs_holds(kind)) return refuse_in_body();
    return predecessors(graph, place, out_after);
}

Status add_native(ThreadBlock &thread, GraphSlot &graph, const std::vector<uintptr_t> &after, const NodeParams &params,
                  NodeNote note, gs_node_t *out) noexcept {
    uintptr_t native = 0;
    GS_TRY(graph.graphs->node_add(thread, graph.ref(), after.data(), after.size(), params, &native));
    return remember(thread, graph, native, static_cast<NodeNote &&>(note), out);
}

Status add_node(ThreadBlock &thread, const NodePlace &place, const gs_node_params_t &wanted, gs_node_t *out) noexcept {
    switch (wanted.kind) {
    case GS_NODE_GRAPH: return add_graph_node(thread, place, handle_bits(wanted.graph), out);
    case GS_NODE_CONDITION: return add_condition_node(thread, place, wanted, out);
    case GS_NODE_SET_CONDITION: return add_set_condition_node(thread, place, wanted, out);
    default: break;
    }
    LockedGraph graph;
    GS_TRY(graph.find(place.graph));
    GS_TRY(check_event(wanted));
    std::vector<uintptr_t> after;
    GS_TRY(check_addition(*graph, place, wanted.kind, &after));
    NodeParams params;
    NodeNote note;
    GS_TRY(node_params(thread, *graph, nullptr, wanted, &params, &note));
    return add_native(thread, *graph, after, params, static_cast<NodeNote &&>(note), out);
}

} // namespace gs
