// SPDX-License-Identifier: Apache-2.0
// What nodes of graphs do, as gs_graph_add_node() and gs_graph_exec_set_node() take it: add_node(..., copy_node(a, b, 4), ...).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpustream.h"

namespace gs::test {

struct Node {
    gs_node_params_t params{};

    explicit Node(int32_t kind) {
        params.struct_size = sizeof params;
        params.kind = kind;
    }
    operator const gs_node_params_t *() const { return &params; } // NOLINT: it stands where the pointer is wanted
};

inline Node empty_node() { return Node(GS_NODE_EMPTY); }

inline Node host_node(void (*function)(void *), void *argument) {
    Node node(GS_NODE_HOST);
    node.params.host_function = function;
    node.params.host_argument = argument;
    return node;
}

inline Node kernel_node(gs_kernel_t kernel, const gs_launch_config_t *config, void **arguments) {
    Node node(GS_NODE_KERNEL);
    node.params.kernel = kernel;
    node.params.arguments = arguments;
    node.params.grid_x = config->grid_x;
    node.params.grid_y = config->grid_y;
    node.params.grid_z = config->grid_z;
    node.params.block_x = config->block_x;
    node.params.block_y = config->block_y;
    node.params.block_z = config->block_z;
    node.params.shared_memory_bytes = config->shared_memory_bytes;
    node.params.flags = config->flags;
    node.params.cluster_x = config->cluster_x;
    node.params.cluster_y = config->cluster_y;
    node.params.cluster_z = config->cluster_z;
    node.params.priority = config->priority;
    node.params.event = config->programmatic_event;
    return node;
}

inline Node copy_node(void *dst, const void *src, uint64_t bytes) {
    Node node(GS_NODE_MEMCPY);
    node.params.dst = dst;
    node.params.src = src;
    node.params.bytes = bytes;
    return node;
}

inline Node fill_node(void *dst, int32_t value, uint64_t bytes) {
    Node node(GS_NODE_MEMSET);
    node.params.dst = dst;
    node.params.value = value;
    node.params.bytes = bytes;
    return node;
}

inline Node event_node(int32_t kind, gs_event_t event) {
    Node node(kind);
    node.params.event = event;
    return node;
}
inline Node record_node(gs_event_t event) { return event_node(GS_NODE_RECORD, event); }
inline Node wait_node(gs_event_t event) { return event_node(GS_NODE_WAIT, event); }

inline Node graph_node(gs_graph_t graph) {
    Node node(GS_NODE_GRAPH);
    node.params.graph = graph;
    return node;
}

inline Node condition_node(int32_t kind, uint32_t initial, size_t bodies) {
    Node node(GS_NODE_CONDITION);
    node.params.condition_kind = kind;
    node.params.initial = initial;
    node.params.body_count = static_cast<uint32_t>(bodies);
    return node;
}

inline Node set_condition_node(gs_graph_t owner, gs_node_t condition, const void *word) {
    Node node(GS_NODE_SET_CONDITION);
    node.params.graph = owner;
    node.params.condition = condition;
    node.params.src = word;
    return node;
}

// A conditional node and its bodies.
inline gs_status_t add_condition(gs_graph_t graph, const gs_node_t *after, size_t count, int32_t kind, uint32_t initial,
                                 gs_node_t *out_node, gs_graph_t *out_bodies, size_t bodies) {
    const gs_status_t status = gs_graph_add_node(graph, after, count, condition_node(kind, initial, bodies), out_node);
    size_t found = 0;
    return status == GS_OK ? gs_graph_node_bodies(graph, *out_node, out_bodies, bodies, &found) : status;
}

} // namespace gs::test
