// SPDX-License-Identifier: Apache-2.0
// Graphs and executables that tests own, captured or built.
#pragma once

#include <vector>

#include "conformance/conformance.hpp"
#include "support/nodes.hpp"

namespace gs::test {

using Graph = Owner<gs_graph_t, gs_graph_destroy>;
using GraphExec = Owner<gs_graph_exec_t, gs_graph_exec_destroy>;

inline Graph make_graph(gs_device_t device = GS_DEVICE_CURRENT) {
    gs_graph_t graph = nullptr;
    EXPECT_OK(gs_graph_create(device, 0, &graph));
    return Graph(graph);
}

inline GraphExec instantiate(gs_graph_t graph, uint32_t flags = 0) {
    gs_graph_exec_t exec = nullptr;
    EXPECT_OK(gs_graph_instantiate(graph, flags, &exec));
    return GraphExec(exec);
}

// A conditional node and its bodies.
struct Condition {
    gs_node_t node = 0;
    gs_graph_t bodies[4] = {};
};

inline Condition add_condition(gs_graph_t graph, const std::vector<gs_node_t> &after, int32_t kind, uint32_t initial,
                               size_t bodies) {
    Condition condition;
    EXPECT_OK(
        add_condition(graph, after.data(), after.size(), kind, initial, &condition.node, condition.bodies, bodies));
    return condition;
}

// Conditions need a driver for CUDA 12.4; the bodies beside the first one 12.8.
inline bool has_conditions() {
    Graph graph = make_graph();
    Condition condition;
    const gs_status_t status =
        add_condition(graph, nullptr, 0, GS_CONDITION_SWITCH, 0, &condition.node, condition.bodies, 2);
    EXPECT_TRUE(status == GS_OK || status == GS_ERROR_NOT_SUPPORTED) << status;
    return status == GS_OK;
}

} // namespace gs::test

#define GS_NEEDS_CONDITIONS()                                                                                          \
    if (!gs::test::has_conditions()) GTEST_SKIP() << "no GPU driver with all kinds of conditional nodes"
