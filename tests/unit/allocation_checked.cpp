// SPDX-License-Identifier: Apache-2.0
// What watches a program when memory is out. The ordering checker ends; who made what, or waited where, is unknown; the program
// goes on as it would alone.
#include <atomic>
#include <cstdlib>

#include "allocation_hook.hpp"
#include "allocation_scenarios.hpp"
#include "allocation_steps.hpp"
#include "support/nodes.hpp"

namespace gs::test {
namespace {

void end_checked_stream(gs_stream_t stream, Failure *failure) {
    if (!stream) return;
    settle(stream, failure);
    require_ok(gs_stream_destroy(stream), "gs_stream_destroy (giving back)", failure);
}

// A name, a label and a wait, for all parts of a report.
void race_of_two(Failure &failure) {
    static unsigned char bytes[64];
    gs_stream_t first = nullptr, second = nullptr;
    gs_event_t event = nullptr;
    STEP(gs_stream_create, 0, 0, 0, &first);
    STEP(gs_stream_create, 0, 0, 0, &second);
    STEP(gs_event_create, 0, &event);
    STEP(gs_stream_set_name, first, "first");
    STEP(gs_event_record, event, first);
    STEP(gs_stream_wait_event, second, event);
    STEP(gs_check_write, first, bytes, sizeof bytes, "a label");
    STEP(gs_check_read, second, bytes, sizeof bytes, nullptr);
    end_checked_stream(second, &failure);
    end_checked_stream(first, &failure);
    GIVE_BACK(gs_event_destroy, event);
}

void launch_checked(Failure &failure) {
    static unsigned char memory[64];
    gs_stream_t stream = nullptr;
    gs_graph_t graph = nullptr, copy = nullptr;
    gs_graph_exec_t exec = nullptr;
    gs_node_t node = 0;
    STEP(gs_stream_create, 0, 0, 0, &stream);
    STEP(gs_graph_create, 0, 0, &graph);
    STEP(gs_graph_add_node, graph, nullptr, 0, fill_node(memory, 2, sizeof memory), &node);
    STEP(gs_graph_check_write, graph, node, memory, sizeof memory, "declared");
    STEP(gs_graph_clone, graph, &copy);
    STEP(gs_graph_add_node, graph, nullptr, 0, graph_node(copy), &node);
    STEP(gs_graph_instantiate, graph, 0, &exec);
    STEP(gs_graph_exec_launch, exec, stream);
    if (failure.status != GS_OK) stop_failing(); // its record must stay the last one
    GIVE_BACK(gs_graph_exec_destroy, exec);
    GIVE_BACK(gs_graph_destroy, copy);
    GIVE_BACK(gs_graph_destroy, graph);
    end_checked_stream(stream, &failure);
}

// The reports go to a callback: what the checker keeps of them ends with it.
template <typename Program>
Failure run_checked(Program program) {
    static std::atomic<int> reports{0};
    Failure failure;
    STEP(gs_set_check_callback, [](void *, const char *, const char *) { ++reports; }, nullptr);
    STEP(gs_check_start, 0);
    if (failure.status != GS_OK) return failure;
    program(failure);
    if (const gs_status_t status = gs_check_stop(); status != GS_OK) failure = {status, "gs_check_stop (giving back)"};
    return failure;
}

} // namespace

Failure checked_race() { return run_checked(race_of_two); }
Failure checked_launch() { return run_checked(launch_checked); }

// GPUSTREAM_LEAKS: who made each object. GPUSTREAM_SYNCS: who waits, and who uses the default stream.
Failure births_and_syncs() {
    setenv("GPUSTREAM_LEAKS", "1", 1);
    setenv("GPUSTREAM_SYNCS", "null", 1);
    Failure failure;
    gs_stream_t stream = nullptr, standard = nullptr;
    gs_event_t event = nullptr;
    void *block = nullptr;
    STEP(gs_default_stream, 0, &standard);
    STEP(gs_stream_create, 0, 0, 0, &stream);
    STEP(gs_event_create, 0, &event);
    STEP(gs_event_record, event, stream);
    STEP(gs_stream_wait_event, standard, event);
    STEP(gs_malloc_async, 64, stream, &block);
    STEP(gs_event_synchronize, event);
    if (failure.status != GS_OK) stop_failing(); // its record must stay the last one
    if (block) require_ok(gs_free_async(block, stream), "gs_free_async (giving back)", &failure);
    if (stream) settle(stream, &failure);
    GIVE_BACK(gs_stream_destroy, stream);
    GIVE_BACK(gs_event_destroy, event);
    return failure;
}

} // namespace gs::test
