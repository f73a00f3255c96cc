// SPDX-License-Identifier: Apache-2.0
// Graphs, executables and memory for them.
#pragma once

#include <vector>

#include "checker/pattern.hpp"
#include "support/graphs.hpp"
#include "support/nodes.hpp"

namespace gs::check::test {

using gs::test::add_condition;
using gs::test::copy_node;
using gs::test::empty_node;
using gs::test::end_capture;
using gs::test::fill_node;
using gs::test::Graph;
using gs::test::graph_node;
using gs::test::host_node;
using gs::test::instantiate;
using gs::test::make_graph;
using gs::test::record_node;

using Exec = gs::test::GraphExec;
inline constexpr size_t kBytes = 64;

using Nodes = std::vector<gs_node_t>;
inline gs_node_t add_copy(gs_graph_t graph, void *dst, const void *src, const Nodes &after) {
    gs_node_t node = 0;
    EXPECT_OK(gs_graph_add_node(graph, after.data(), after.size(), copy_node(dst, src, kBytes), &node));
    return node;
}
inline gs_node_t add_fill(gs_graph_t graph, void *dst, const Nodes &after) {
    gs_node_t node = 0;
    EXPECT_OK(gs_graph_add_node(graph, after.data(), after.size(), fill_node(dst, 0, kBytes), &node));
    return node;
}
inline gs_node_t add_empty(gs_graph_t graph, const Nodes &after) {
    gs_node_t node = 0;
    EXPECT_OK(gs_graph_add_node(graph, after.data(), after.size(), empty_node(), &node));
    return node;
}

class GraphPattern : public CheckPattern {
protected:
    void SetUp() override {
        for (void **memory : {&to, &from, &other_to}) ASSERT_OK(gs_malloc_host(kBytes, memory));
    }
    void TearDown() override {
        EXPECT_OK(gs_device_synchronize(0));
        for (void *memory : {to, from, other_to}) EXPECT_OK(gs_free_host(memory));
    }
    // The second stream comes after the first one's work so far.
    void fork(gs_stream_t first, gs_stream_t second) const {
        EXPECT_OK(gs_event_record(event, first));
        EXPECT_OK(gs_stream_wait_event(second, event));
    }
    void *to = nullptr, *from = nullptr, *other_to = nullptr;
};

} // namespace gs::check::test
