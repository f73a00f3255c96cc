// SPDX-License-Identifier: Apache-2.0
// The graphs, nodes and executables that users may name, by id. The engine's graph lock guards it.
#pragma once

#include <map>

#include "backend/host/engine/graph/exec.hpp"

namespace gs::host {

class GraphTable {
public:
    GraphIds ids;

    // With the graphs within it. Throws bad_alloc, and then nothing was added.
    void add(Graph &graph);
    void remove(Graph &graph) noexcept;
    void add(GraphNode &node); // with the graphs in it
    void remove(GraphNode &node) noexcept;
    void add(GraphExec &exec) { execs_.emplace(exec.id, &exec); }
    void remove(GraphExec &exec) noexcept { execs_.erase(exec.id); }
    Graph *graph(uint64_t id) const noexcept { return find(graphs_, id); }
    GraphNode *node(uint64_t id) const noexcept { return find(nodes_, id); }
    GraphExec *exec(uint64_t id) const noexcept { return find(execs_, id); }

private:
    template <typename T>
    using Table = std::map<uint64_t, T *>;
    template <typename T>
    static T *find(const Table<T> &table, uint64_t id) noexcept {
        const auto found = table.find(id);
        return found == table.end() ? nullptr : found->second;
    }
    Table<Graph> graphs_;
    Table<GraphNode> nodes_;
    Table<GraphExec> execs_;
};

} // namespace gs::host
