// SPDX-License-Identifier: Apache-2.0
// Conditional nodes, beside the graphs that tests own.
#pragma once

#include <vector>

#include "conformance/conformance.hpp"
#include "support/graphs.hpp"
#include "support/nodes.hpp"

namespace gs::test {

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
