// SPDX-License-Identifier: Apache-2.0
// Graphs when memory is out.
#include <algorithm>

#include "allocation_hook.hpp"
#include "allocation_scenarios.hpp"
#include "allocation_steps.hpp"
#include "support/nodes.hpp"

namespace gs::test {
namespace {

constexpr int kLaunches = 6;
constexpr gs_node_t kUntouched = 0x5A5A5A5A5A5A5A5A;

#define GRAPH_STEP(function, ...)                                                                                      \
    if (failure.status == GS_OK) failure = {function(__VA_ARGS__), #function}

void no_work(void *) {}

void give_back(gs_status_t status, const char *what, Failure *failure) {
    if (status != GS_OK) *failure = {status, what};
}

// A list of nodes is written as a whole or not at all.
void check_untouched(const gs_node_t *nodes, size_t count, Failure *failure) {
    if (failure->status == GS_OK) return;
    if (std::any_of(nodes, nodes + count, [](gs_node_t node) { return node != kUntouched; }))
        *failure = {GS_ERROR_INTERNAL, "a list of nodes was written although its call failed"};
}

// Everything that was made ends, and so does what the streams have to do.
void end(gs_stream_t stream, gs_graph_t graph, gs_graph_exec_t exec, Failure *failure) {
    if (failure->status != GS_OK) stop_failing(); // its record must stay the last one
    if (exec) give_back(gs_graph_exec_destroy(exec), "gs_graph_exec_destroy (giving back)", failure);
    if (graph) give_back(gs_graph_destroy(graph), "gs_graph_destroy (giving back)", failure);
    if (!stream) return;
    if (gs_stream_synchronize(stream) == GS_ERROR_OUT_OF_MEMORY) {
        if (failure->status == GS_OK) *failure = {GS_ERROR_OUT_OF_MEMORY, "gs_stream_synchronize"};
        stop_failing();
        (void)gs_stream_synchronize(stream);
    }
    give_back(gs_stream_destroy(stream), "gs_stream_destroy (giving back)", failure);
}

void launch(gs_graph_t graph, gs_stream_t stream, gs_graph_exec_t *exec, Failure &failure) {
    GRAPH_STEP(gs_graph_instantiate, graph, 0, exec);
    GRAPH_STEP(gs_graph_exec_upload, *exec, stream);
    for (int i = 0; i < 2; ++i) GRAPH_STEP(gs_graph_exec_launch, *exec, stream);
}

} // namespace

Failure built_graph() {
    static unsigned char bytes[8];
    Failure failure;
    gs_stream_t stream = nullptr;
    gs_graph_t graph = nullptr, child = nullptr, copy = nullptr;
    gs_graph_exec_t exec = nullptr;
    gs_node_t last = 0;
    gs_node_t nodes[2 * kLaunches];
    std::fill_n(nodes, 2 * kLaunches, kUntouched);
    size_t found = 0;
    gs_graph_update_t update{};
    update.struct_size = sizeof update;
    GRAPH_STEP(gs_stream_create, 0, 0, 0, &stream);
    GRAPH_STEP(gs_graph_create, 0, 0, &graph);
    GRAPH_STEP(gs_graph_create, 0, 0, &child);
    GRAPH_STEP(gs_graph_add_node, child, nullptr, 0, empty_node(), &last);
    size_t added = 0;
    ADD(gs_graph_add_node, graph, nullptr, 0, fill_node(bytes, 1, 4), &last);
    ADD(gs_graph_add_node, graph, &last, 1, copy_node(bytes + 4, bytes, 4), &last);
    ADD(gs_graph_add_node, graph, &last, 1, host_node(no_work, nullptr), &last);
    ADD(gs_graph_add_node, graph, &last, 1, graph_node(child), &last);
    check_nodes(graph, added, &failure);
    GRAPH_STEP(gs_graph_clone, graph, &copy);
    const bool built = failure.status == GS_OK;
    GRAPH_STEP(gs_graph_nodes, copy, nodes, 2 * kLaunches, &found);
    if (built) check_untouched(nodes, 2 * kLaunches, &failure);
    std::fill_n(nodes, 2 * kLaunches, kUntouched);
    const bool listed = failure.status == GS_OK;
    GRAPH_STEP(gs_graph_edges, graph, nodes, 2 * kLaunches, &found);
    if (listed) check_untouched(nodes, 2 * kLaunches, &failure);
    launch(graph, stream, &exec, failure);
    GRAPH_STEP(gs_graph_exec_update, exec, copy, &update);
    GRAPH_STEP(gs_graph_exec_launch, exec, stream);
    end(stream, graph, exec, &failure);
    if (copy) give_back(gs_graph_destroy(copy), "gs_graph_destroy (giving back)", &failure);
    if (child) give_back(gs_graph_destroy(child), "gs_graph_destroy (giving back)", &failure);
    return failure;
}

Failure captured_random() {
    Failure failure;
    gs_stream_t stream = nullptr;
    gs_graph_t graph = nullptr, parent = nullptr;
    gs_graph_exec_t exec = nullptr;
    gs_node_t node = 0;
    gs_philox_t philox{};
    philox.struct_size = sizeof philox;
    GRAPH_STEP(gs_stream_create, 0, 0, 0, &stream);
    GRAPH_STEP(gs_stream_begin_capture, stream, GS_CAPTURE_THREAD_LOCAL);
    const bool captured = failure.status == GS_OK;
    GRAPH_STEP(gs_rng_reserve, stream, 4, &philox);
    GRAPH_STEP(gs_stream_end_capture, stream, &graph);
    if (captured && !graph) {
        stop_failing(); // its record must stay the last one
        give_back(gs_stream_abort_capture(stream), "gs_stream_abort_capture (giving back)", &failure);
    }
    GRAPH_STEP(gs_graph_create, 0, 0, &parent);
    GRAPH_STEP(gs_graph_add_node, parent, nullptr, 0, graph_node(graph), &node);
    launch(parent, stream, &exec, failure);
    end(stream, graph, exec, &failure);
    if (parent) give_back(gs_graph_destroy(parent), "gs_graph_destroy (giving back)", &failure);
    return failure;
}

} // namespace gs::test
