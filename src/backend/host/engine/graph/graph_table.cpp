// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/graph/graph_table.hpp"

#include <new>

namespace gs::host {

void GraphTable::add(Graph &graph) {
    try {
        graphs_.emplace(graph.id, &graph);
        for (const auto &node : graph.nodes) add(*node);
    } catch (const std::bad_alloc &) {
        remove(graph);
        throw;
    }
}

void GraphTable::remove(Graph &graph) noexcept {
    graphs_.erase(graph.id);
    for (const auto &node : graph.nodes) remove(*node);
}

void GraphTable::add(GraphNode &node) {
    try {
        nodes_.emplace(node.id, &node);
        for (const auto &inner : node.graphs) add(*inner);
    } catch (const std::bad_alloc &) {
        remove(node);
        throw;
    }
}

void GraphTable::remove(GraphNode &node) noexcept {
    nodes_.erase(node.id);
    for (const auto &inner : node.graphs) remove(*inner);
}

void GraphTable::set_source(GraphExec &exec, uint64_t source) {
    if (source != 0) sources_.emplace(source, &exec);
    if (exec.source != source) sources_.erase(exec.source);
    exec.source = source;
}

} // namespace gs::host
