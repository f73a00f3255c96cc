// SPDX-License-Identifier: Apache-2.0
// The work on one chunk as a graph: captured once, launched once per chunk.
#pragma once

#include <string>

#include "chunk_work.hpp"

namespace graphs {

class ChunkGraph {
public:
    // Captures work.submit(bytes) and makes it executable. The work must outlive the graph.
    ChunkGraph(ChunkWork &work, uint32_t bytes);

    // Submits the work on a chunk of the present size.
    void launch();
    // Changes the size for the launches to come, without another capture.
    void resize(uint32_t bytes);
    // The graph in the language of Graphviz.
    std::string dot() const;

private:
    using Graph = pipeline::Owner<gs_graph_t, gs_graph_destroy>;
    using GraphExec = pipeline::Owner<gs_graph_exec_t, gs_graph_exec_destroy>;

    void find_nodes();

    ChunkWork &work_;
    Graph graph_;
    GraphExec exec_;
    gs_node_t copy_in_ = 0;
    gs_node_t kernel_ = 0;
    gs_node_t copy_out_ = 0;
};

} // namespace graphs
