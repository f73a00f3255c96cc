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
    // cuda_capture.cpp
    Status capture(ThreadBlock &thread, StreamRef stream, StreamCapture *out) noexcept override;
    Status likely_capture(ThreadBlock &thread, StreamRef stream, StreamCapture *out) noexcept override;
    Status capture_begin(ThreadBlock &thread, StreamRef stream, int32_t mode) noexcept override;
    Status capture_begin_to(ThreadBlock &thread, StreamRef stream, uintptr_t graph, const uintptr_t *after,
                            size_t count, int32_t mode) noexcept override;
    Status capture_end(ThreadBlock &thread, StreamRef stream, uintptr_t *out_graph) noexcept override;
    Status capture_keep(ThreadBlock &thread, StreamRef stream, uint64_t id, void (*release)(void *), void *arg,
                        bool *out_kept) noexcept override;
    Status capture_nodes(ThreadBlock &thread, StreamRef stream, uintptr_t *out_nodes, size_t capacity,
                         size_t *out_count) noexcept override;
    Status set_capture_nodes(ThreadBlock &thread, StreamRef stream, const uintptr_t *nodes, size_t count,
                             bool add) noexcept override;

    // cuda_graph.cpp
    Status graph_create(ThreadBlock &thread, int32_t ordinal, uintptr_t *out_graph) noexcept override;
    Status graph_destroy(ThreadBlock &thread, GraphRef graph) noexcept override;
    // The driver has no function that checks whether a number is a graph.
    Status graph_adopt(ThreadBlock &, GraphRef) noexcept override { return kOk; }
    Status graph_keep(ThreadBlock &thread, uintptr_t graph, void (*release)(void *), void *arg) noexcept override;

    // cuda_exec.cpp
    Status instantiate(ThreadBlock &thread, GraphRef graph, uint32_t flags, uintptr_t *out_exec,
                       GraphFailure *out_failure) noexcept override;
    Status exec_destroy(ThreadBlock &thread, GraphRef exec) noexcept override;
    Status exec_launch(ThreadBlock &thread, GraphRef exec, StreamRef stream) noexcept override;
    Status exec_upload(ThreadBlock &thread, GraphRef exec, StreamRef stream) noexcept override;

    // cuda_nodes.cpp
    Status node_add(ThreadBlock &thread, GraphRef graph, const uintptr_t *after, size_t count, const NodeParams &params,
                    uintptr_t *out_node) noexcept override;
    Status add_edges(ThreadBlock &thread, GraphRef graph, const uintptr_t *from, const uintptr_t *to,
                     size_t count) noexcept override;
    Status node_remove(ThreadBlock &thread, GraphRef graph, uintptr_t node) noexcept override;
    Status condition_create(ThreadBlock &thread, GraphRef graph, uint32_t initial,
                            uint64_t *out_handle) noexcept override;
    // cuda_graph.cpp
    Status graph_clone(ThreadBlock &thread, GraphRef graph, uintptr_t *out_graph) noexcept override;
    Status graph_nodes(ThreadBlock &thread, GraphRef graph, uintptr_t *out_nodes, size_t capacity,
                       size_t *out_count) noexcept override;
    Status graph_edges(ThreadBlock &thread, GraphRef graph, uintptr_t *out_from, uintptr_t *out_to, size_t capacity,
                       size_t *out_count) noexcept override;
    Status node_params(ThreadBlock &thread, GraphRef graph, uintptr_t node, NodeParams *out) noexcept override;
    Status node_degrees(ThreadBlock &thread, GraphRef graph, uintptr_t node, size_t *out_earlier,
                        size_t *out_later) noexcept override;
    // cuda_exec.cpp
    Status exec_update(ThreadBlock &thread, GraphRef exec, uintptr_t graph,
                       GraphFailure *out_failure) noexcept override;
    Status exec_set_node(ThreadBlock &thread, GraphRef exec, uintptr_t node,
                         const NodeParams &params) noexcept override;
    Status exec_enable_node(ThreadBlock &thread, GraphRef exec, uintptr_t node, bool on) noexcept override;
    Status exec_node_enabled(ThreadBlock &thread, GraphRef exec, uintptr_t node, bool *out) noexcept override;
};

inline CUgraph to_graph(uintptr_t graph) noexcept { return reinterpret_cast<CUgraph>(graph); }
inline CUgraph to_graph(GraphRef graph) noexcept { return to_graph(graph.native); }
inline CUgraphExec to_exec(GraphRef exec) noexcept { return reinterpret_cast<CUgraphExec>(exec.native); }
inline CUgraphNode to_node(uintptr_t node) noexcept { return reinterpret_cast<CUgraphNode>(node); }

} // namespace gs::cuda
