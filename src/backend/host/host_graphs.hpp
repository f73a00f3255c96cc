// SPDX-License-Identifier: Apache-2.0
// Captures and graphs of the host backend: the engine's, behind the backends' contract. Graphs and nodes are named by the
// engine's ids, executables by their addresses. host_graphs.cpp has captures and graphs, host_nodes.cpp and host_execs.cpp the rest.
#pragma once

#include "backend/graphs.hpp"
#include "backend/host/engine/engine.hpp"

namespace gs::host {

class HostGraphs final : public Graphs {
public:
#include "backend/graph_overrides.inc"

    Status graph_adopt(ThreadBlock &thread, GraphRef graph) noexcept override;
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
