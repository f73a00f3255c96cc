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
// wanted: of a kind that can change; its pointers, sizes and numbers are right, its handles any.
Status set_node(ThreadBlock &thread, const ExecNode &place, const gs_node_params_t &wanted) noexcept;
Status enable_node(ThreadBlock &thread, const ExecNode &place, bool on) noexcept;

} // namespace gs
