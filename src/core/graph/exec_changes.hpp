// SPDX-License-Identifier: Apache-2.0
// Changes of executable graphs. Each function locks the executable, then the graph that it was made from or that is given.
// Called without a CallMark.
#pragma once

#include "core/graph/execs.hpp"

namespace gs {

// A graph that cannot be taken over is no failure: out->reason says why.
Status update_exec(ThreadBlock &thread, uint64_t exec, uint64_t graph, gs_graph_update_t *out) noexcept;

// A node of an executable: its number in the graph that the executable was made from.
struct ExecNode {
    uint64_t exec;
    gs_node_t node;
};
Status set_plain_node(ThreadBlock &thread, const ExecNode &place, const NodeParams &params) noexcept; // MEMCPY, MEMSET
Status set_host_node(ThreadBlock &thread, const ExecNode &place, void (*fn)(void *), void *arg) noexcept;
Status set_kernel_node(ThreadBlock &thread, const ExecNode &place, uint64_t kernel, const gs_launch_config_t &config,
                       void **arguments) noexcept;
Status set_event_node(ThreadBlock &thread, const ExecNode &place, int32_t kind, uint64_t event) noexcept;
Status enable_node(ThreadBlock &thread, const ExecNode &place, bool on) noexcept;

} // namespace gs
