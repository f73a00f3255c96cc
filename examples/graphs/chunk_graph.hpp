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
    void find_nodes();

    ChunkWork &work_;
    gpustream::graph graph_;
    gpustream::graph_exec exec_;
    gpustream::node copy_in_ = 0;
    gpustream::node kernel_ = 0;
    gpustream::node copy_out_ = 0;
};

} // namespace graphs
