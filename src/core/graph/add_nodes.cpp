// SPDX-License-Identifier: Apache-2.0
#include "core/graph/add_nodes.hpp"

#include <algorithm>
#include <new>

#include "base/sort.hpp"
#include "core/graph/graph_holds.hpp"
#include "core/graph/graph_modules.hpp"
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
    const bool never_in_bodies = kind == GS_NODE_HOST || kind == GS_NODE_RECORD || kind == GS_NODE_WAIT;
    if (graph.use == GraphUse::Inside && never_in_bodies) return refuse_in_body();
    return predecessors(graph, place, out_after);
}

Status add_node(ThreadBlock &thread, GraphSlot &graph, const std::vector<uintptr_t> &after, const NodeParams &params,
                NodeNote note, gs_node_t *out) noexcept {
    uintptr_t native = 0;
    GS_TRY(graph.graphs->node_add(thread, graph.ref(), after.data(), after.size(), params, &native));
    return remember(thread, graph, native, static_cast<NodeNote &&>(note), out);
}

Status add_plain_node(ThreadBlock &thread, const NodePlace &place, const NodeParams &params, gs_node_t *out) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(place.graph));
    std::vector<uintptr_t> after;
    GS_TRY(check_addition(*graph, place, params.kind, &after));
    return add_node(thread, *graph, after, params, {}, out);
}

Status add_host_node(ThreadBlock &thread, const NodePlace &place, void (*fn)(void *), void *arg,
                     gs_node_t *out) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(place.graph));
    std::vector<uintptr_t> after;
    GS_TRY(check_addition(*graph, place, GS_NODE_HOST, &after));
    NodeParams params;
    params.kind = GS_NODE_HOST;
    GraphHolds *holds = nullptr;
    GS_TRY(holds_of(thread, *graph, &holds));
    GS_TRY(host_params(*holds, fn, arg, &params));
    return add_node(thread, *graph, after, params, {}, out);
}

Status add_kernel_node(ThreadBlock &thread, const NodePlace &place, uint64_t kernel, const gs_launch_config_t &config,
                       void **arguments, gs_node_t *out) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(place.graph));
    std::vector<uintptr_t> after;
    GS_TRY(check_addition(*graph, place, GS_NODE_KERNEL, &after));
    NodeParams params;
    NodeNote note;
    note.kind = params.kind = GS_NODE_KERNEL;
    ModuleList *modules = nullptr;
    GS_TRY(modules_of(thread, *graph, &modules));
    GS_TRY(kernel_params(thread, *graph, *modules, kernel, config, arguments, &params, &note.kernel));
    return add_node(thread, *graph, after, params, static_cast<NodeNote &&>(note), out);
}

Status add_event_node(ThreadBlock &thread, const NodePlace &place, int32_t kind, uint64_t event,
                      gs_node_t *out) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(place.graph));
    if (!event_slots().find(event)) return no_such_event(event); // handles are judged before nodes
    std::vector<uintptr_t> after;
    GS_TRY(check_addition(*graph, place, kind, &after));
    NodeParams params;
    params.kind = kind;
    GS_TRY(event_params(thread, *graph, event, &params));
    GraphHolds *holds = nullptr;
    GS_TRY(holds_of(thread, *graph, &holds));
    GS_TRY(hold_event(thread, *holds, event));
    return add_node(thread, *graph, after, params, {}, out);
}

} // namespace gs
