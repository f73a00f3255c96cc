// SPDX-License-Identifier: Apache-2.0
#include "chunk_graph.hpp"

#include <vector>

#include "failure.hpp"
#include "kernel_layout.hpp"

namespace graphs {

using namespace pipeline;

ChunkGraph::ChunkGraph(ChunkWork &work, uint32_t bytes) : work_(work) {
    // Between begin and end nothing runs: the calls become nodes and edges, on both streams.
    check(gs_stream_begin_capture(work.stream(), GS_CAPTURE_THREAD_LOCAL));
    try {
        work.submit(bytes);
    } catch (...) {
        static_cast<void>(gs_stream_abort_capture(work.stream()));
        throw;
    }
    gs_graph_t graph = nullptr;
    check(gs_stream_end_capture(work.stream(), &graph));
    graph_ = Graph(graph);
    gs_graph_exec_t exec = nullptr;
    check(gs_graph_instantiate(graph, 0, &exec));
    exec_ = GraphExec(exec);
    find_nodes();
}

void ChunkGraph::find_nodes() {
    size_t count = 0;
    check(gs_graph_nodes(graph_.get(), nullptr, 0, &count));
    std::vector<gs_node_t> nodes(count);
    check(gs_graph_nodes(graph_.get(), nodes.data(), nodes.size(), &count));
    for (const gs_node_t node : nodes) {
        gs_node_info_t info{};
        info.struct_size = sizeof info;
        check(gs_graph_node_info(graph_.get(), node, &info));
        if (info.kind == GS_NODE_KERNEL) kernel_ = node;
        if (info.kind == GS_NODE_MEMCPY) (info.src == work_.input() ? copy_in_ : copy_out_) = node;
    }
    if (copy_in_ == 0 || kernel_ == 0 || copy_out_ == 0)
        throw Failure(Exit::kDevice, "the captured graph lacks a node");
}

void ChunkGraph::launch() { check(gs_graph_exec_launch(exec_.get(), work_.stream())); }

void ChunkGraph::resize(uint32_t bytes) {
    const void *data = work_.device_input();
    void *result = work_.device_result();
    const gs_launch_config_t config = Kernels::config(bytes);
    void *arguments[] = {&data, &bytes, &result};
    const size_t result_bytes = result_words(bytes) * sizeof(uint32_t);
    check(gs_graph_exec_set_memcpy(exec_.get(), copy_in_, work_.device_input(), work_.input(), bytes));
    check(gs_graph_exec_set_kernel(exec_.get(), kernel_, work_.kernels().handle(), &config, arguments));
    check(
        gs_graph_exec_set_memcpy(exec_.get(), copy_out_, const_cast<uint32_t *>(work_.result()), result, result_bytes));
}

std::string ChunkGraph::dot() const {
    std::string text;
    const auto append = [](void *arg, const char *piece, size_t bytes) -> gs_status_t {
        static_cast<std::string *>(arg)->append(piece, bytes);
        return GS_OK;
    };
    check(gs_graph_write_dot(graph_.get(), append, &text));
    return text;
}

} // namespace graphs
