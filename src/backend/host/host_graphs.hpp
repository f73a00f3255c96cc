// SPDX-License-Identifier: Apache-2.0
// Captures and graphs of the host backend: the engine's, behind the backends' contract. Graphs and nodes are named by the
// engine's ids, executables by their addresses.
#pragma once

#include "backend/graphs.hpp"
#include "backend/host/engine/engine.hpp"

namespace gs::host {

class HostGraphs final : public Graphs {
public:
    // ---- captures ---------------------------------------------------------------------------------------------------
    Status capture(ThreadBlock &thread, StreamRef stream, StreamCapture *out) noexcept override;
    Status capture_begin(ThreadBlock &thread, StreamRef stream, int32_t mode) noexcept override;
    Status capture_begin_to(ThreadBlock &thread, StreamRef stream, uintptr_t graph, const uintptr_t *after,
                            size_t count, int32_t mode) noexcept override;
    Status capture_end(ThreadBlock &thread, StreamRef stream, uintptr_t *out_graph) noexcept override;
    Status capture_nodes(ThreadBlock &thread, StreamRef stream, uintptr_t *out_nodes, size_t capacity,
                         size_t *out_count) noexcept override;
    Status set_capture_nodes(ThreadBlock &thread, StreamRef stream, const uintptr_t *nodes, size_t count,
                             bool add) noexcept override;

    Status capture_keep(ThreadBlock &thread, StreamRef stream, uint64_t id, void (*release)(void *), void *arg,
                        bool *out_kept) noexcept override;

    // ---- graphs (host_graphs.cpp) ------------------------------------------------------------------------------------
    Status graph_create(ThreadBlock &thread, int32_t ordinal, uintptr_t *out_graph) noexcept override;
    Status graph_destroy(ThreadBlock &thread, GraphRef graph) noexcept override;
    Status graph_clone(ThreadBlock &thread, GraphRef graph, uintptr_t *out_graph) noexcept override;
    Status graph_adopt(ThreadBlock &thread, GraphRef graph) noexcept override;
    Status graph_keep(ThreadBlock &thread, uintptr_t graph, void (*release)(void *), void *arg) noexcept override;
    Status add_edges(ThreadBlock &thread, GraphRef graph, const uintptr_t *from, const uintptr_t *to,
                     size_t count) noexcept override;
    Status node_remove(ThreadBlock &thread, GraphRef graph, uintptr_t node) noexcept override;
    Status graph_nodes(ThreadBlock &thread, GraphRef graph, uintptr_t *out_nodes, size_t capacity,
                       size_t *out_count) noexcept override;
    Status graph_edges(ThreadBlock &thread, GraphRef graph, uintptr_t *out_from, uintptr_t *out_to, size_t capacity,
                       size_t *out_count) noexcept override;

    // ---- nodes (host_nodes.cpp) ----------------------------------------------------------------------------------------
    Status node_add(ThreadBlock &thread, GraphRef graph, const uintptr_t *after, size_t count, const NodeParams &params,
                    uintptr_t *out_node) noexcept override;
    Status condition_create(ThreadBlock &thread, GraphRef graph, uint32_t initial,
                            uint64_t *out_handle) noexcept override;
    Status node_params(ThreadBlock &thread, GraphRef graph, uintptr_t node, NodeParams *out) noexcept override;
    Status node_degrees(ThreadBlock &thread, GraphRef graph, uintptr_t node, size_t *out_earlier,
                        size_t *out_later) noexcept override;
    Status exec_set_node(ThreadBlock &thread, GraphRef exec, uintptr_t node,
                         const NodeParams &params) noexcept override;

    // ---- executables (host_execs.cpp) ------------------------------------------------------------------------------------
    Status instantiate(ThreadBlock &thread, GraphRef graph, uint32_t flags, uintptr_t *out_exec,
                       GraphFailure *out_failure) noexcept override;
    Status exec_destroy(ThreadBlock &thread, GraphRef exec) noexcept override;
    Status exec_launch(ThreadBlock &thread, GraphRef exec, StreamRef stream) noexcept override;
    Status exec_upload(ThreadBlock &thread, GraphRef exec, StreamRef stream) noexcept override;
    Status exec_update(ThreadBlock &thread, GraphRef exec, uintptr_t graph,
                       GraphFailure *out_failure) noexcept override;
    Status exec_enable_node(ThreadBlock &thread, GraphRef exec, uintptr_t node, bool on) noexcept override;
    Status exec_node_enabled(ThreadBlock &thread, GraphRef exec, uintptr_t node, bool *out) noexcept override;
};

// A failure that concerns a graph; the text names the cause.
Status graph_status(Result result, const Graph &graph, const char *operation) noexcept;
// A graph of the engine, and with it its nodes, in memory for the length of a block: its capture may end on another thread.
class FoundGraph {
public:
    ~FoundGraph();
    FoundGraph() noexcept = default;
    FoundGraph(const FoundGraph &) = delete;
    FoundGraph &operator=(const FoundGraph &) = delete;
    Status find(uintptr_t native) noexcept; // INVALID_HANDLE
    Graph *get() const noexcept { return graph_; }
    Graph *operator->() const noexcept { return graph_; }
    Graph &operator*() const noexcept { return *graph_; }

private:
    Graph *graph_ = nullptr;
};
// INVALID_ARGUMENT: there is none.
Status find_node(uintptr_t native, GraphNode **out) noexcept;
// Nodes named by an array of the caller's; no exception leaves it.
class NodeList {
public:
    ~NodeList();
    NodeList() noexcept = default;
    NodeList(const NodeList &) = delete;
    NodeList &operator=(const NodeList &) = delete;
    Status find(const uintptr_t *natives, size_t count) noexcept;
    GraphNode *const *data() const noexcept { return nodes_; }
    GraphNode *operator[](size_t i) const noexcept { return nodes_[i]; }

private:
    GraphNode **nodes_ = nullptr;
};

} // namespace gs::host
