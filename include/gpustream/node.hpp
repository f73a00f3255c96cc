// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs: what they follow, and what they do.
#pragma once

#include <initializer_list>
#include <vector>

#include "module.hpp"

GPUSTREAM_BEGIN_NAMESPACE

using node = gs_node_t;

/// The nodes that a new one follows: a list in braces, one node, or a vector. It refers to them for the call only, so
/// functions take none that has a name: its list in braces would have ended. Name a vector instead.
class nodes {
public:
    nodes() noexcept = default;
    nodes(std::initializer_list<node> list) noexcept : count_(list.size()) { first_ = list.begin(); }
    nodes(const node &one) noexcept : first_(&one), count_(1) {}
    nodes(const std::vector<node> &list) noexcept : first_(list.data()), count_(list.size()) {}
    const node *data() const noexcept { return first_; }
    size_t size() const noexcept { return count_; }

private:
    const node *first_ = nullptr;
    size_t count_ = 0;
};

struct edge {
    node from;
    node to;
};

namespace detail {
inline gs_node_params_t node_of(int32_t kind) noexcept {
    gs_node_params_t what{};
    what.struct_size = sizeof what;
    what.kind = kind;
    return what;
}
inline gs_node_params_t host_node(void (*function)(void *), void *argument) noexcept {
    gs_node_params_t what = node_of(GS_NODE_HOST);
    what.host_function = function;
    what.host_argument = argument;
    return what;
}
inline gs_node_params_t kernel_node(kernel function, const launch_config &config, void **arguments) noexcept {
    const gs_launch_config_t in_c = config.in_c();
    gs_node_params_t what = node_of(GS_NODE_KERNEL);
    what.kernel = function.get();
    what.arguments = arguments;
    what.grid_x = in_c.grid_x;
    what.grid_y = in_c.grid_y;
    what.grid_z = in_c.grid_z;
    what.block_x = in_c.block_x;
    what.block_y = in_c.block_y;
    what.block_z = in_c.block_z;
    what.shared_memory_bytes = in_c.shared_memory_bytes;
    what.flags = in_c.flags;
    what.cluster_x = in_c.cluster_x;
    what.cluster_y = in_c.cluster_y;
    what.cluster_z = in_c.cluster_z;
    what.priority = in_c.priority;
    what.event = in_c.programmatic_event;
    return what;
}
inline gs_node_params_t copy_node(void *to, const void *from, size_t bytes) noexcept {
    gs_node_params_t what = node_of(GS_NODE_MEMCPY);
    what.dst = to;
    what.src = from;
    what.bytes = bytes;
    return what;
}
inline gs_node_params_t fill_node(void *to, int32_t value, size_t bytes) noexcept {
    gs_node_params_t what = node_of(GS_NODE_MEMSET);
    what.dst = to;
    what.value = value;
    what.bytes = bytes;
    return what;
}
inline gs_node_params_t event_node(int32_t kind, event_ref event) noexcept {
    gs_node_params_t what = node_of(kind);
    what.event = event.get();
    return what;
}
} // namespace detail

GPUSTREAM_END_NAMESPACE
