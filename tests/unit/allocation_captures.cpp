// SPDX-License-Identifier: Apache-2.0
// Captures and conditional nodes when memory is out: a capture that is refused something goes on, and ends.
#include <atomic>

#include "allocation_hook.hpp"
#include "allocation_scenarios.hpp"
#include "allocation_steps.hpp"
#include "support/nodes.hpp"

namespace gs::test {
namespace {

void count_captured(void *count) { ++*static_cast<std::atomic<int> *>(count); }
gs_status_t take_text(void *, const char *, size_t) { return GS_OK; }

// The capture that a failure has left in progress.
void end_capture(gs_stream_t stream, Failure *failure) {
    gs_capture_info_t info{};
    info.struct_size = sizeof info;
    if (failure->status != GS_OK) stop_failing(); // its record must stay the last one
    require_ok(gs_stream_capture_info(stream, &info), "gs_stream_capture_info (giving back)", failure);
    if (info.state == GS_CAPTURE_STATE_NONE) return;
    require_ok(gs_stream_abort_capture(stream), "gs_stream_abort_capture (giving back)", failure);
}

// Everything ends, and so does what the streams have to do.
void end_streams(gs_stream_t stream, gs_stream_t side, Failure *failure) {
    for (gs_stream_t each : {stream, side}) {
        if (!each) continue;
        settle(each, failure);
        require_ok(gs_stream_destroy(each), "gs_stream_destroy (giving back)", failure);
    }
}

// What was captured runs, twice.
void launch(gs_graph_t graph, gs_stream_t stream, Failure &failure) {
    gs_graph_exec_t exec = nullptr;
    STEP(gs_graph_instantiate, graph, 0, &exec);
    for (int i = 0; i < 2; ++i) STEP(gs_graph_exec_launch, exec, stream);
    if (failure.status != GS_OK) stop_failing();
    GIVE_BACK(gs_graph_exec_destroy, exec);
}

} // namespace

Failure captured_work() {
    static unsigned char bytes[8];
    static std::atomic<int> count{0};
    Failure failure;
    gs_stream_t stream = nullptr, side = nullptr;
    gs_event_t fork = nullptr, outside = nullptr;
    gs_graph_t graph = nullptr;
    gs_node_t node = 0;
    size_t found = 0;
    void *memory = nullptr;
    STEP(gs_stream_create, 0, 0, 0, &stream);
    STEP(gs_stream_create, 0, 0, 0, &side);
    STEP(gs_event_create, 0, &fork);
    STEP(gs_event_create, GS_EVENT_EXTERNAL, &outside);
    STEP(gs_stream_begin_capture, stream, GS_CAPTURE_THREAD_LOCAL);
    STEP(gs_stream_wait_event, stream, outside);
    STEP(gs_stream_launch_host, stream, count_captured, &count);
    STEP(gs_event_record, fork, stream);
    STEP(gs_stream_wait_event, side, fork);
    STEP(gs_memset_async, bytes, 1, 4, side);
    STEP(gs_memcpy_async, bytes + 4, bytes, 4, side);
    STEP(gs_stream_wait_stream, stream, side);
    STEP(gs_malloc_async, 64, stream, &memory);
    STEP(gs_memset_async, memory, 1, 64, stream);
    STEP(gs_free_async, memory, stream);
    STEP(gs_stream_capture_nodes, stream, &node, 1, &found);
    STEP(gs_stream_set_capture_nodes, stream, &node, 1, 0);
    STEP(gs_event_record, outside, stream);
    STEP(gs_stream_end_capture, stream, &graph);
    if (stream) end_capture(stream, &failure);
    STEP(gs_graph_write_dot, graph, take_text, nullptr);
    launch(graph, stream, failure);
    GIVE_BACK(gs_graph_destroy, graph);
    end_streams(stream, side, &failure);
    GIVE_BACK(gs_event_destroy, outside);
    GIVE_BACK(gs_event_destroy, fork);
    return failure;
}

Failure captured_into_a_graph() {
    static std::atomic<int> count{0};
    Failure failure;
    gs_stream_t stream = nullptr;
    gs_graph_t graph = nullptr, again = nullptr, inner = nullptr;
    gs_node_t node = 0, child = 0;
    STEP(gs_stream_create, 0, 0, 0, &stream);
    STEP(gs_graph_create, 0, 0, &graph);
    STEP(gs_graph_create, 0, 0, &inner);
    STEP(gs_graph_add_node, inner, nullptr, 0, host_node(count_captured, &count), &child);
    STEP(gs_graph_add_node, graph, nullptr, 0, graph_node(inner), &node);
    STEP(gs_stream_begin_capture_to, stream, graph, &node, 1, GS_CAPTURE_RELAXED);
    STEP(gs_stream_sleep, stream, 10);
    STEP(gs_stream_launch_host, stream, count_captured, &count);
    STEP(gs_stream_defer, stream, count_captured, &count); // kept by the graph
    STEP(gs_stream_end_capture, stream, &again);
    if (stream) end_capture(stream, &failure);
    STEP(gs_graph_write_dot, graph, take_text, nullptr);
    launch(graph, stream, failure);
    if (failure.status != GS_OK) stop_failing();
    GIVE_BACK(gs_graph_destroy, again);
    GIVE_BACK(gs_graph_destroy, inner);
    GIVE_BACK(gs_graph_destroy, graph);
    end_streams(stream, nullptr, &failure);
    return failure;
}

Failure conditions() {
    static uint32_t words[4];
    Failure failure;
    gs_stream_t stream = nullptr;
    gs_graph_t graph = nullptr, child = nullptr, either[2] = {}, loop = nullptr, cases[2] = {};
    gs_graph_exec_t exec = nullptr;
    gs_node_t branch = 0, inside = 0, choice = 0, filled = 0, emptied = 0;
    gs_node_params_t info{};
    info.struct_size = sizeof info;
    STEP(gs_stream_create, 0, 0, 0, &stream);
    STEP(gs_graph_create, 0, 0, &graph);
    STEP(gs_graph_create, 0, 0, &child);
    STEP(gs_graph_add_node, child, nullptr, 0, empty_node(), &emptied);
    STEP(gs_graph_add_node, child, &emptied, 1, fill_node(words + 1, 1, 4), &filled);
    size_t added = 0, bodies = 0;
    ADD(gs_graph_add_node, graph, nullptr, 0, condition_node(GS_CONDITION_IF, 1, 2), &branch);
    STEP(gs_graph_node_bodies, graph, branch, either, 2, &bodies);
    STEP(gs_graph_add_node, either[0], nullptr, 0, graph_node(child), &filled);
    STEP(gs_graph_add_node, either[0], &filled, 1, condition_node(GS_CONDITION_WHILE, 0, 1), &inside);
    STEP(gs_graph_node_bodies, either[0], inside, &loop, 1, &bodies);
    STEP(gs_graph_add_node, loop, nullptr, 0, fill_node(words + 2, 1, 4), &filled);
    ADD(gs_graph_add_node, graph, &branch, 1, condition_node(GS_CONDITION_SWITCH, 1, 2), &choice);
    STEP(gs_graph_node_bodies, graph, choice, cases, 2, &bodies);
    ADD(gs_graph_add_node, graph, nullptr, 0, set_condition_node(graph, choice, words), &filled);
    check_nodes(graph, added, &failure);
    STEP(gs_graph_node_info, graph, filled, &info);
    STEP(gs_graph_node_info, graph, choice, &info);
    STEP(gs_graph_write_dot, graph, take_text, nullptr);
    STEP(gs_graph_instantiate, graph, 0, &exec);
    stop_failing(); // a body that finds no memory breaks the device
    STEP(gs_graph_exec_launch, exec, stream);
    GIVE_BACK(gs_graph_exec_destroy, exec);
    GIVE_BACK(gs_graph_destroy, child);
    GIVE_BACK(gs_graph_destroy, graph);
    end_streams(stream, nullptr, &failure);
    return failure;
}

} // namespace gs::test
