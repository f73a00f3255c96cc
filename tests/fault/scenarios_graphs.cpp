// SPDX-License-Identifier: Apache-2.0
// Captures that begin through the library, and what becomes of them.
#include <atomic>
#include <deque>

#include "conformance/kernels.hpp"
#include "fault/scenario.hpp"
#include "support/launches.hpp"

namespace gs::test {
namespace {

using MadeGraph = Made<gs_graph_t, gs_graph_destroy>;
using MadeExec = Made<gs_graph_exec_t, gs_graph_exec_destroy>;

void add_one(void *count) { ++*static_cast<std::atomic<int> *>(count); }

// Counters outlive their run: one that ends early leaves functions behind.
std::atomic<int> &fresh_counter() {
    static std::deque<std::atomic<int>> all;
    return all.emplace_back(0);
}

// Ends a capture that a step which failed has left in progress.
class Ending {
public:
    Ending(Run &run, gs_stream_t stream) : run_(run), stream_(stream) {}
    ~Ending() {
        gs_capture_info_t info{};
        info.struct_size = sizeof info;
        run_.clean("gs_stream_capture_info(stream, &info)", [&] { return gs_stream_capture_info(stream_, &info); });
        if (info.state == GS_CAPTURE_STATE_NONE) return;
        run_.clean("gs_stream_abort_capture(stream)", [this] { return gs_stream_abort_capture(stream_); });
    }
    Ending(const Ending &) = delete;
    Ending &operator=(const Ending &) = delete;

private:
    Run &run_;
    gs_stream_t stream_;
};

void captured_and_launched(Run &run) {
    std::atomic<int> &count = fresh_counter(), &released = fresh_counter();
    STREAM(stream);
    STREAM(side);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    MAKE(side, gs_stream_create(0, 0, 0, side.out()));
    EVENT(fork);
    MAKE(fork, gs_event_create(0, fork.out()));
    MadeGraph graph(run, "gs_graph_destroy(graph)");
    {
        const Ending ending(run, stream);
        DO(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
        DO(gs_stream_launch_host(stream, add_one, &count));
        DO(gs_event_record(fork, stream));
        DO(gs_stream_wait_event(side, fork));
        DO(gs_stream_launch_host(side, add_one, &count));
        DO(gs_stream_wait_stream(stream, side));
        gs_capture_info_t info{};
        info.struct_size = sizeof info;
        DO(gs_stream_capture_info(stream, &info));
        run.require(info.state == GS_CAPTURE_STATE_ACTIVE, "the capture is active");
        gs_node_t node = 0;
        size_t found = 0;
        DO(gs_stream_capture_nodes(stream, &node, 1, run.out(&found)));
        DO(gs_stream_set_capture_nodes(stream, &node, 1, 1));
        DO(gs_graph_keep(info.graph, add_one, &released));
        MAKE(graph, gs_stream_end_capture(stream, graph.out()));
    }
    MadeExec exec(run, "gs_graph_exec_destroy(exec)");
    DO(gs_graph_set_name(graph, "step")); // without memory for it the executable has none
    MAKE(exec, gs_graph_instantiate(graph, 0, exec.out()));
    uintptr_t native = 0;
    DO(gs_graph_native(graph, run.out(&native)));
    DO(gs_graph_exec_native(exec, run.out(&native)));
    DO(gs_graph_exec_upload(exec, stream));
    for (int i = 0; i < 2; ++i) DO(gs_graph_exec_launch(exec, stream));
    DO(gs_stream_synchronize(stream));
    run.require(count == 4, "two functions, two launches");
    run.require(released == 0, "what is kept lives as long as the graph");
}

void captured_into_a_graph(Run &run) {
    std::atomic<int> &count = fresh_counter();
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    MadeGraph graph(run, "gs_graph_destroy(graph)"), again(run, "gs_graph_destroy(again)");
    MAKE(graph, gs_graph_create(0, 0, graph.out()));
    const Ending ending(run, stream);
    DO(gs_stream_begin_capture_to(stream, graph, nullptr, 0, GS_CAPTURE_RELAXED));
    DO(gs_stream_launch_host(stream, add_one, &count));
    MAKE(again, gs_stream_end_capture(stream, again.out()));
    DO(gs_stream_begin_capture_to(stream, graph, nullptr, 0, GS_CAPTURE_RELAXED));
    DO(gs_stream_abort_capture(stream));
    DO(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
    DO(gs_stream_abort_capture(stream));
}

void graphs_with_several_owners(Run &run) {
    MadeGraph graph(run, "gs_graph_destroy(graph)"), wrap(run, "gs_graph_destroy(wrap)");
    MadeExec exec(run, "gs_graph_exec_destroy(exec)");
    MAKE(graph, gs_graph_create(0, 0, graph.out()));
    DO(gs_graph_retain(graph));
    CLEAN(gs_graph_destroy(graph));
    uintptr_t native = 0;
    DO(gs_graph_native(graph, run.out(&native)));
    MAKE(wrap, gs_graph_from_native(0, native, wrap.out()));
    MAKE(exec, gs_graph_instantiate(graph, 0, exec.out()));
    DO(gs_graph_exec_retain(exec));
    CLEAN(gs_graph_exec_destroy(exec));
}

// A kernel, a host function and nodes for an external event, all of which the captured graph keeps.
void captured_objects(Run &run) {
    static std::deque<uint32_t> words; // they outlive their run, too
    uint32_t *counter = &words.emplace_back(0);
    std::atomic<int> &count = fresh_counter();
    void *arguments[] = {&counter};
    const gs_launch_config_t one = launch_of(1, 1);
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    EVENT(event);
    MAKE(event, gs_event_create(GS_EVENT_EXTERNAL, event.out()));
    MadeModule module(run, "gs_module_destroy(module)");
    MAKE(module, gs_module_load(0, kPtx, sizeof kPtx, module.out()));
    gs_kernel_t kernel = nullptr;
    DO(gs_module_get_kernel(module, "add_one", run.out(&kernel)));
    MadeGraph graph(run, "gs_graph_destroy(graph)");
    {
        const Ending ending(run, stream);
        DO(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        DO(gs_event_wait(event, stream));
        DO(gs_kernel_launch(kernel, &one, arguments, stream));
        DO(gs_stream_launch_host(stream, add_one, &count));
        DO(gs_event_record(event, stream));
        MAKE(graph, gs_stream_end_capture(stream, graph.out()));
    }
    uintptr_t native = 0;
    DO(gs_graph_native(graph, run.out(&native)));
    MadeExec exec(run, "gs_graph_exec_destroy(exec)");
    MAKE(exec, gs_graph_instantiate(graph, 0, exec.out()));
    DO(gs_graph_exec_launch(exec, stream));
    DO(gs_stream_synchronize(stream));
    run.require(*counter == 1 && count == 1, "every node has run once");
}

// A launch that fails may have taken its numbers, but none are drawn twice.
void captured_random(Run &run) {
    STREAM(stream);
    STREAM(other);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    MAKE(other, gs_stream_create(0, 0, 0, other.out()));
    gs_philox_t philox{};
    philox.struct_size = sizeof philox;
    MadeGraph graph(run, "gs_graph_destroy(graph)");
    {
        const Ending ending(run, stream);
        DO(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
        DO(gs_rng_reserve(stream, 4, &philox));
        MAKE(graph, gs_stream_end_capture(stream, graph.out()));
    }
    run.require(philox.captured == 1, "the reservation is the graph's");
    MadeExec exec(run, "gs_graph_exec_destroy(exec)");
    MAKE(exec, gs_graph_instantiate(graph, 0, exec.out()));
    DO(gs_rng_set_state(0, 1, 0));
    for (int i = 0; i < 2; ++i) {
        DO(gs_graph_exec_launch(exec, stream));
        DO(gs_graph_exec_launch(exec, other));
    }
    uint64_t seed = 0, offset = 0;
    DO(gs_rng_get_state(0, &seed, &offset));
    run.require(seed == 1 && offset >= 16, "each launch has numbers of its own");
    DO(gs_stream_synchronize(stream));
    DO(gs_stream_synchronize(other));
}

} // namespace

std::vector<Scenario> graph_scenarios() {
    return {{"captured_and_launched", captured_and_launched},
            {"captured_into_a_graph", captured_into_a_graph},
            {"captured_objects", captured_objects},
            {"captured_random", captured_random},
            {"graphs_with_several_owners", graphs_with_several_owners}};
}

} // namespace gs::test
