// SPDX-License-Identifier: Apache-2.0
// Captures and graphs of the CUDA backend: gs::Graphs on the driver API. docs/design/cuda.md.
#pragma once

#include <cuda.h>

#include "backend/graphs.hpp"
#include "base/lock.hpp"

namespace gs::cuda {

// Held while the driver ends a capture, and while it is asked about one or its graph is used. The question reads the
// capture's graph, and the process ends (signal 11) if another thread has ended the capture by then. See
// docs/design/cuda.md.
extern Mutex g_capture_end_mutex;

class CudaGraphs final : public Graphs {
public:
#include "backend/graph_overrides.inc"

    Status likely_capture(ThreadBlock &thread, StreamRef stream, StreamCapture *out) noexcept override;
    // The driver has no function that checks whether a number is a graph.
    Status graph_adopt(ThreadBlock &, GraphRef) noexcept override { return kOk; }
};

inline CUgraph to_graph(uintptr_t graph) noexcept { return reinterpret_cast<CUgraph>(graph); }
inline CUgraph to_graph(GraphRef graph) noexcept { return to_graph(graph.native); }
inline CUgraphExec to_exec(GraphRef exec) noexcept { return reinterpret_cast<CUgraphExec>(exec.native); }
inline CUgraphNode to_node(uintptr_t node) noexcept { return reinterpret_cast<CUgraphNode>(node); }

} // namespace gs::cuda
