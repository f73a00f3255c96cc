// SPDX-License-Identifier: Apache-2.0
// Captures and graphs that tests begin through the library.
#pragma once

#include "conformance/conformance.hpp"

namespace gs::test {

using Graph = Owner<gs_graph_t, gs_graph_destroy>;
using GraphExec = Owner<gs_graph_exec_t, gs_graph_exec_destroy>;

constexpr int32_t kCaptureModes[] = {GS_CAPTURE_GLOBAL, GS_CAPTURE_THREAD_LOCAL, GS_CAPTURE_RELAXED};

inline gs_capture_info_t info_of(gs_stream_t stream) {
    gs_capture_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_stream_capture_info(stream, &info));
    return info;
}
inline int32_t capture_state(gs_stream_t stream) { return info_of(stream).state; }

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
