// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <new>
#include <stdexcept>

#include "core/graph/graph_calls.hpp"

namespace gs {
namespace {

template <typename T>
Status resize(std::vector<T> *vector, size_t count) noexcept {
    try {
        vector->resize(count);
        return kOk;
    } catch (const std::bad_alloc &) {
    } catch (const std::length_error &) {}
    return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a list of %zu nodes", count);
}

Status collect_kinds(ThreadBlock &thread, Graphs &graphs, GraphRef graph, int level, uint32_t *kinds) noexcept {
    GS_TRY(check_level(level));
    std::vector<uintptr_t> nodes;
    GS_TRY(native_nodes(thread, graphs, graph, &nodes));
    for (const uintptr_t node : nodes) {
        NodeParams params;
        GS_TRY(graphs.node_params(thread, graph, node, &params));
        *kinds |= 1u << params.kind;
        if (params.kind == GS_NODE_GRAPH && params.child)
            GS_TRY(collect_kinds(thread, graphs, {graph.ordinal, params.child}, level + 1, kinds));
    }
    return kOk;
}

void copy_kernel(const NodeParams &params, gs_node_params_t *out) noexcept {
    const gs_launch_config_t &config = params.kernel.config;
    out->grid_x = config.grid_x;
    out->grid_y = config.grid_y;
    out->grid_z = config.grid_z;
    out->block_x = config.block_x;
    out->block_y = config.block_y;
    out->block_z = config.block_z;
    out->shared_memory_bytes = config.shared_memory_bytes;
}

void describe(const NodeParams &params, const NodeNote *note, gs_node_params_t *out) noexcept {
    out->kind = note ? note->kind : params.kind;
    out->condition_kind = -1;
    switch (out->kind) {
    case GS_NODE_KERNEL: return copy_kernel(params, out);
    case GS_NODE_MEMCPY:
        out->dst = params.copy.dst;
        out->src = params.copy.src;
        out->bytes = params.copy.bytes;
        return;
    case GS_NODE_MEMSET:
        out->dst = params.fill.dst;
        out->value = params.fill.value;
        out->bytes = params.fill.bytes;
        return;
    case GS_NODE_CONDITION:
        if (!note) return;
        out->condition_kind = note->condition_type;
        out->initial = note->initial;
        out->body_count = static_cast<uint32_t>(note->bodies.size());
        return;
    case GS_NODE_SET_CONDITION:
        if (note) out->src = note->word;
        return;
    default: return;
    }
}

} // namespace

Status native_nodes(ThreadBlock &thread, Graphs &graphs, GraphRef graph, std::vector<uintptr_t> *out) noexcept {
    size_t count = 0;
    GS_TRY(graphs.graph_nodes(thread, graph, nullptr, 0, &count));
    GS_TRY(resize(out, count));
    if (count == 0) return kOk;
    GS_TRY(graphs.graph_nodes(thread, graph, out->data(), out->size(), &count));
    return resize(out,
                  std::min(count, out->size())); // a stream that is captured into it may have added more in between
}

Status native_edges(ThreadBlock &thread, Graphs &graphs, GraphRef graph, NativeEdges *out) noexcept {
    size_t count = 0;
    GS_TRY(graphs.graph_edges(thread, graph, nullptr, nullptr, 0, &count));
    GS_TRY(resize(&out->from, count));
    GS_TRY(resize(&out->to, count));
    if (count == 0) return kOk;
    GS_TRY(graphs.graph_edges(thread, graph, out->from.data(), out->to.data(), out->from.size(), &count));
    count = std::min(count, out->from.size());
    GS_TRY(resize(&out->from, count));
    return resize(&out->to, count);
}

Status kinds_in(ThreadBlock &thread, Graphs &graphs, GraphRef graph, int level, uint32_t *out_kinds) noexcept {
    *out_kinds = 0;
    return collect_kinds(thread, graphs, graph, level, out_kinds);
}

Status kernel_name(ThreadBlock &thread, Graphs &graphs, GraphRef graph, const NodeParams &params, const NodeNote *note,
                   std::string *out) noexcept {
    const char *name = nullptr;
    if (!note) GS_TRY(graphs.kernel_name(thread, graph, params, &name));
    try {
        *out = note ? note->name : name ? name : "";
        return kOk;
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the name of a kernel");
    }
}

Status describe_graph(ThreadBlock &thread, uint64_t handle, gs_graph_summary_t *out) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(handle));
    GS_TRY(check_health(*graph->device));
    size_t nodes = 0, edges = 0;
    GS_TRY(graph->graphs->graph_nodes(thread, graph->ref(), nullptr, 0, &nodes));
    GS_TRY(graph->graphs->graph_edges(thread, graph->ref(), nullptr, nullptr, 0, &edges));
    uint32_t kinds = graph->notes.any_condition() ? kConditionKinds : 0;
    if (!kinds) GS_TRY(kinds_in(thread, *graph->graphs, graph->ref(), 0, &kinds));
    out->device = device_number(*graph->device);
    out->is_body = graph->use == GraphUse::Inside;
    out->has_conditions = (kinds & kConditionKinds) != 0;
    out->node_count = nodes;
    out->edge_count = edges;
    return kOk;
}

Status list_nodes(ThreadBlock &thread, uint64_t handle, gs_node_t *out_nodes, size_t capacity,
                  size_t *out_count) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(handle));
    GS_TRY(check_health(*graph->device));
    std::vector<uintptr_t> nodes;
    GS_TRY(native_nodes(thread, *graph->graphs, graph->ref(), &nodes));
    GS_TRY(graph->nodes.numbers_of(nodes.data(), std::min(capacity, nodes.size()), out_nodes));
    *out_count = nodes.size();
    return kOk;
}

Status list_edges(ThreadBlock &thread, uint64_t handle, gs_node_t *out_nodes, size_t capacity,
                  size_t *out_count) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(handle));
    GS_TRY(check_health(*graph->device));
    NativeEdges edges;
    GS_TRY(native_edges(thread, *graph->graphs, graph->ref(), &edges));
    const size_t fits = std::min(capacity / 2, edges.from.size());
    std::vector<uintptr_t> ends;
    GS_TRY(resize(&ends, 2 * fits));
    for (size_t i = 0; i < fits; ++i) {
        ends[2 * i] = edges.from[i];
        ends[2 * i + 1] = edges.to[i];
    }
    GS_TRY(graph->nodes.numbers_of(ends.data(), ends.size(), out_nodes));
    *out_count = 2 * edges.from.size();
    return kOk;
}

Status describe_node(ThreadBlock &thread, uint64_t handle, gs_node_t node, gs_node_params_t *out) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(handle));
    GS_TRY(check_health(*graph->device));
    uintptr_t native = 0;
    GS_TRY(graph->nodes.native_of(node, &native));
    NodeParams params;
    GS_TRY(graph->graphs->node_params(thread, graph->ref(), native, &params));
    size_t earlier = 0, later = 0;
    GS_TRY(graph->graphs->node_degrees(thread, graph->ref(), native, &earlier, &later));
    const NodeNote *note = graph->notes.find(node);
    describe(params, note, out);
    if (out->kind == GS_NODE_KERNEL) {
        std::string name;
        GS_TRY(kernel_name(thread, *graph->graphs, graph->ref(), params, note, &name));
        std::snprintf(out->name, sizeof out->name, "%s", name.c_str());
    }
    out->predecessor_count = earlier;
    out->successor_count = later;
    return kOk;
}

Status list_bodies(uint64_t handle, gs_node_t node, gs_graph_t *out_bodies, size_t capacity,
                   size_t *out_count) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(handle));
    uintptr_t native = 0;
    GS_TRY(graph->nodes.native_of(node, &native));
    const NodeNote *note = graph->notes.find(node);
    const std::vector<uint64_t> none;
    const std::vector<uint64_t> &bodies = note ? note->bodies : none;
    for (size_t i = 0; i < std::min(capacity, bodies.size()); ++i) out_bodies[i] = to_handle<gs_graph_t>(bodies[i]);
    *out_count = bodies.size();
    return kOk;
}

Status native_node(uint64_t handle, gs_node_t node, uintptr_t *out) noexcept {
    LockedGraph graph;
    GS_TRY(graph.find(handle));
    return graph->nodes.native_of(node, out);
}

} // namespace gs
