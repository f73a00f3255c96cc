// SPDX-License-Identifier: Apache-2.0
// The graphs and nodes that users may name, by id, and executables by the graphs they use. The engine's graph lock guards it.
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
    // The executable whose source is that graph; nullptr: none. Ends with set_source(exec, 0); else this throws bad_alloc.
    GraphExec *exec_of(uint64_t source) const noexcept { return find(sources_, source); }
    void set_source(GraphExec &exec, uint64_t source);
    Graph *graph(uint64_t id) const noexcept { return find(graphs_, id); }
    GraphNode *node(uint64_t id) const noexcept { return find(nodes_, id); }

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
    Table<GraphExec> sources_; // by the graphs whose memory they use
};

} // namespace gs::host
