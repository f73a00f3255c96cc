// SPDX-License-Identifier: Apache-2.0
// A graph: nodes and the order among them. The engine's graph lock guards all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <vector>

#include "backend/host/engine/graph/node.hpp"
#include "backend/host/engine/result.hpp"

namespace gs::host {

struct Graph {
    uint64_t id = 0; // never reused within the engine
    Device *device = nullptr;
    GraphNode *parent = nullptr; // the child or condition node that it is in
    bool destroyed = false;      // ends with the last capture into it
    bool ended = false;          // in memory for those who have pinned it
    uint32_t pins = 0;           // of an outermost graph: see Engine::pin_graph()
    std::vector<std::unique_ptr<GraphNode>> nodes;
    std::vector<Ref<Keep>> kept;
    std::vector<Ref<GraphCondition>> conditions;
    std::set<const GraphBlock *> freed; // by its nodes, which refer to them; not of copies
};

// Ids of graphs, nodes and executables: look like addresses, are never reused.
class GraphIds {
public:
    uint64_t take() noexcept { return next_ += 16; }

private:
    uint64_t next_ = 0x10000;
};

// All of these throw bad_alloc, and then nothing has changed.

// Adds a node behind those.
GraphNode &add_node(Graph &graph, GraphIds &ids, const NodeBody &body, GraphNode *const *after, size_t count);
// Adds an edge; one that exists already stays as it is.
void add_edge(GraphNode &from, GraphNode &to);
bool has_edge(const GraphNode &from, const GraphNode &to) noexcept;
void remove_edge(GraphNode &from, GraphNode &to) noexcept;
std::unique_ptr<GraphNode> remove_node(GraphNode &node) noexcept;
// A deep copy. exact: with the original's conditions, and with its ids as the origins of the nodes.
std::unique_ptr<Graph> copy_graph(const Graph &graph, GraphIds &ids, bool exact);

// The nodes from the roots on, each behind all that it depends on. Fewer than the graph has: it has a cycle.
std::vector<const GraphNode *> in_order(const Graph &graph);
// Is a node of this kind in the graph, or in a graph within it?
bool contains(const Graph &graph, NodeKind kind) noexcept;
// Does the graph allocate or free memory? Graphs within others do neither.
bool has_memory(const Graph &graph) noexcept;
// Everything that the graph and the graphs within it keep.
void collect_kept(const Graph &graph, std::vector<Ref<Keep>> &out);
// Moves everything that the graphs within it keep to the graph itself.
void gather_kept(Graph &graph);
// May the graph have a node of that kind? Bodies of conditions allow few kinds, graphs within others no memory.
bool admits(const Graph &graph, NodeKind kind) noexcept;
// The outermost graph.
const Graph &root_of(const Graph &graph) noexcept;
Graph &root_of(Graph &graph) noexcept;

} // namespace gs::host
