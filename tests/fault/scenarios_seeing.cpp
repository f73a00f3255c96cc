// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include "fault/scenario.hpp"
#include "support/nodes.hpp"

namespace gs::test {
namespace {

// Names need no driver, so a failing one leaves them as they are.
void names(Run &run) {
    STREAM(stream);
    EVENT(event);
    int32_t previous = 0;
    MAKE(stream, gs_stream_create(1, 0, 0, stream.out()));
    MAKE(event, gs_event_create(0, event.out()));
    DO(gs_stream_set_name(stream, "upload"));
    DO(gs_event_set_name(event, "uploaded"));
    DO(gs_forbid_sync(0, run.out(&previous)));
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    DO(gs_dump(null));
    close(null);
    size_t bytes = 0;
    DO(gs_explain_wait(stream, nullptr, 0, run.out(&bytes)));
}

// The profiler's switch is the only one of these that the driver hears of.
void ranges(Run &run) {
    uint64_t range = 0;
    DO(gs_set_current_device(0)); // else it is that of the current context, and the question may fail
    DO(gs_range_push("step"));
    DO(gs_mark("first"));
    DO(gs_profiler_start());
    DO(gs_range_start("beside", run.out(&range)));
    if (range != 0) DO(gs_range_end(range));
    DO(gs_profiler_stop());
    DO(gs_range_pop());
}

// A call that fails is neither in the trace nor heard of. Times of the device are left out, as their failures are counted and
// not reported: tests/traces has the cases.
void traced(Run &run) {
    STREAM(stream);
    EVENT(event);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    MAKE(event, gs_event_create(0, event.out()));
    struct End {
        uint64_t trace = 0;
        ~End() {
            (void)gs_trace_end(trace);
            (void)gs_set_trace_callback(nullptr, nullptr);
        }
    } end;
    int heard = 0;
    size_t bytes = 0;
    DO(gs_set_trace_callback(
        [](void *count, int32_t, uint64_t, uint64_t, uint64_t, const char *) { ++*static_cast<int *>(count); },
        &heard));
    DO(gs_trace_begin(nullptr, run.out(&end.trace)));
    DO(gs_event_record(event, stream));
    DO(gs_stream_wait_event(stream, event));
    run.require(heard == 2, "two calls were heard of");
    DO(gs_stream_synchronize(stream));
    DO(gs_trace_end(end.trace));
    DO(gs_trace_write(
        end.trace,
        [](void *count, const char *, size_t size) -> gs_status_t {
            *static_cast<size_t *>(count) += size;
            return GS_OK;
        },
        &bytes));
    run.require(bytes != 0, "a trace was written");
}

struct CheckEnd {
    ~CheckEnd() {
        (void)gs_check_stop();
        (void)gs_set_check_callback(nullptr, nullptr);
    }
};

// The checker takes calls that fail neither for order nor for races.
void checked(Run &run) {
    STREAM(one);
    STREAM(two);
    EVENT(event);
    uint64_t clock = 0;
    int reports = 0;
    MAKE(one, gs_stream_create(0, 0, 0, one.out()));
    MAKE(two, gs_stream_create(0, 0, 0, two.out()));
    MAKE(event, gs_event_create(0, event.out()));
    CheckEnd end;
    DO(gs_set_check_callback([](void *count, const char *, const char *) { ++*static_cast<int *>(count); }, &reports));
    DO(gs_check_start(0));
    DO(gs_check_write(one, &clock, sizeof clock, "first"));
    DO(gs_event_record(event, one));
    DO(gs_stream_wait_event(two, event));
    DO(gs_check_read(two, &clock, sizeof clock, "second"));
    DO(gs_check_handover(&clock));
    DO(gs_stream_synchronize(two));
    run.require(reports == 0, "no race was reported");
    DO(gs_check_stop());
}

void checked_nodes(Run &run) {
    STREAM(stream);
    Made<gs_graph_t, gs_graph_destroy> graph(run, "gs_graph_destroy(graph)");
    Made<gs_graph_exec_t, gs_graph_exec_destroy> exec(run, "gs_graph_exec_destroy(exec)");
    gs_node_t one = 0, two = 0;
    static const char memory[8] = {};
    int reports = 0;
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    MAKE(graph, gs_graph_create(0, 0, graph.out()));
    DO(gs_graph_add_node(graph, nullptr, 0, empty_node(), run.out(&one)));
    DO(gs_graph_add_node(graph, &one, 1, empty_node(), run.out(&two)));
    CheckEnd end;
    DO(gs_set_check_callback([](void *count, const char *, const char *) { ++*static_cast<int *>(count); }, &reports));
    DO(gs_check_start(0));
    DO(gs_graph_check_write(graph, one, memory, sizeof memory, "first"));
    DO(gs_graph_check_read(graph, two, memory, sizeof memory, "second"));
    MAKE(exec, gs_graph_instantiate(graph, 0, exec.out()));
    DO(gs_graph_exec_launch(exec, stream));
    DO(gs_stream_synchronize(stream));
    run.require(reports == 0, "no race was reported");
    DO(gs_check_stop());
}

} // namespace

std::vector<Scenario> seeing_scenarios() {
    return {{"names", names},
            {"ranges", ranges},
            {"traced", traced},
            {"checked", checked},
            {"checked_nodes", checked_nodes}};
}

} // namespace gs::test
