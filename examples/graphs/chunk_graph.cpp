// SPDX-License-Identifier: Apache-2.0
#include "chunk_graph.hpp"

#include "failure.hpp"
#include "kernel_layout.hpp"

namespace graphs {

using namespace pipeline;

namespace {

gpustream::graph captured(ChunkWork &work, uint32_t bytes) {
    // Until its end nothing runs: the calls become nodes and edges, on both streams.
    gpustream::capture capture(work.stream(), gpustream::capture_mode::thread_local_);
    work.submit(bytes);
    return capture.end();
}

} // namespace

ChunkGraph::ChunkGraph(ChunkWork &work, uint32_t bytes)
    : work_(work), graph_(captured(work, bytes)), exec_(graph_.instantiate()) {
    find_nodes();
}

void ChunkGraph::find_nodes() {
    for (const gpustream::node node : graph_.contents()) {
        const gs_node_params_t info = graph_.info(node);
        if (info.kind == GS_NODE_KERNEL) kernel_ = node;
        if (info.kind == GS_NODE_MEMCPY) (info.src == work_.input() ? copy_in_ : copy_out_) = node;
    }
    if (copy_in_ == 0 || kernel_ == 0 || copy_out_ == 0)
        throw Failure(Exit::kDevice, "the captured graph lacks a node");
}

void ChunkGraph::launch() { exec_.launch(work_.stream()); }

void ChunkGraph::resize(uint32_t bytes) {
    const void *data = work_.device_input();
    void *result = work_.device_result();
    const size_t result_bytes = result_words(bytes) * sizeof(uint32_t);
    exec_.set_copy(copy_in_, work_.device_input(), work_.input(), bytes);
    exec_.set_kernel(kernel_, work_.kernels().handle(), Kernels::config(bytes), data, bytes, result);
    exec_.set_copy(copy_out_, const_cast<uint32_t *>(work_.result()), result, result_bytes);
}

std::string ChunkGraph::dot() const { return graph_.dot(); }

} // namespace graphs
