// SPDX-License-Identifier: Apache-2.0
// Graphs and executables that tests own.
#pragma once

#include "support/objects.hpp"

namespace gs::test {

using Graph = Owner<gs_graph_t, gs_graph_destroy>;
using GraphExec = Owner<gs_graph_exec_t, gs_graph_exec_destroy>;

inline Graph make_graph(gs_device_t device = GS_DEVICE_CURRENT) {
    gs_graph_t graph = nullptr;
    EXPECT_OK(gs_graph_create(device, 0, &graph));
    return Graph(graph);
}

inline Graph end_capture(gs_stream_t stream) {
    gs_graph_t graph = nullptr;
    EXPECT_OK(gs_stream_end_capture(stream, &graph));
    return Graph(graph);
}

inline GraphExec instantiate(gs_graph_t graph, uint32_t flags = 0) {
    gs_graph_exec_t exec = nullptr;
    EXPECT_OK(gs_graph_instantiate(graph, flags, &exec));
    return GraphExec(exec);
}

} // namespace gs::test
