// SPDX-License-Identifier: Apache-2.0
// Streams that are handed work, deferred functions and kept objects while other threads begin, end and abort their captures and
// destroy the graphs.
#include <chrono>

#include "stress.hpp"
#include "support/nodes.hpp"

namespace gs::test {
namespace {

constexpr int kThreads = 8;

struct Place {
    Shared<gs_stream_t> stream;
    Shared<gs_graph_t> graph; // of the last capture
    Shared<gs_event_t> event;
};

struct Table {
    Place places[2];
    std::atomic<uint64_t> given{0}, called{0};

    Place &any(Random &random) { return places[random.below(2)]; }
};

void call(void *table) { ++static_cast<Table *>(table)->called; }
void nothing(void *) {}

// A capture that another thread begins, breaks or ends in between is in the way, or its graph is gone.
void expect_in_the_way(gs_status_t status, const char *what) {
    switch (status) {
    case GS_OK:
    case GS_ERROR_CAPTURING:
    case GS_ERROR_INVALID_HANDLE:
    case GS_ERROR_NOT_PERMITTED: return;
    default: ADD_FAILURE() << what << " gave " << gs_status_name(status);
    }
}
#define EXPECT_IN_THE_WAY(call) expect_in_the_way((call), #call)

void count_if_taken(Table &table, gs_status_t status, const char *what) {
    if (status == GS_OK) ++table.given;
    expect_in_the_way(status, what);
}
#define EXPECT_TAKEN_OR_NOT(table, call) count_if_taken((table), (call), #call)

void destroy(gs_graph_t graph) {
    if (graph) EXPECT_OK(gs_graph_destroy(graph));
}

gs_graph_t captured_graph(gs_stream_t stream) {
    gs_capture_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_ALIVE_OR_GONE(gs_stream_capture_info(stream, &info));
    return info.graph;
}

// A function that is given at the end of a capture may be in the stream itself: no count of runs.
void use_stream(Table &table, Random &random) {
    Place &place = table.any(random);
    gs_stream_t stream = place.stream.get();
    switch (random.below(5)) {
    case 0: EXPECT_IN_THE_WAY(gs_stream_launch_host(stream, nothing, nullptr)); break;
    case 1:
        if (table.given - table.called > 1000) break; // a long backlog of notifications takes longer than the test
        EXPECT_TAKEN_OR_NOT(table, gs_stream_notify(stream, [](void *arg, gs_status_t) { call(arg); }, &table));
        break;
    default: EXPECT_TAKEN_OR_NOT(table, gs_stream_defer(stream, call, &table)); break;
    }
}

void use_graph(Table &table, Random &random) {
    Place &place = table.any(random);
    gs_stream_t stream = place.stream.get();
    gs_graph_t graph = captured_graph(stream);
    gs_node_t node = 0;
    size_t count = 0;
    switch (random.below(6)) {
    case 0: EXPECT_IN_THE_WAY(gs_graph_add_node(graph, nullptr, 0, host_node(nothing, nullptr), &node)); break;
    case 1: EXPECT_IN_THE_WAY(gs_stream_capture_nodes(stream, &node, 1, &count)); break;
    case 2:
        if (gs_graph_add_node(graph, nullptr, 0, empty_node(), &node) == GS_OK) {
            const gs_status_t status = gs_stream_set_capture_nodes(stream, &node, 1, 1);
            if (status != GS_ERROR_INVALID_ARGUMENT) EXPECT_IN_THE_WAY(status); // another capture
        }
        break;
    case 3: {
        const gs_status_t status = gs_event_record(place.event.get(), stream);
        if (status != GS_ERROR_INVALID_ARGUMENT)
            EXPECT_IN_THE_WAY(status); // of a driver, if the capture has just ended
        break;
    }
    case 4: EXPECT_IN_THE_WAY(gs_graph_nodes(graph, &node, 1, &count)); break;
    default: EXPECT_TAKEN_OR_NOT(table, gs_graph_keep(graph, call, &table)); break;
    }
}

void capture(Table &table, Random &random) {
    Place &place = table.any(random);
    gs_stream_t stream = place.stream.get();
    const bool again = random.chance(20);
    gs_graph_t target = again ? place.graph.put(nullptr) : nullptr;
    if (target)
        EXPECT_IN_THE_WAY(gs_stream_begin_capture_to(stream, target, nullptr, 0, GS_CAPTURE_RELAXED));
    else
        EXPECT_IN_THE_WAY(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    destroy(target);
    gs_graph_t graph = nullptr;
    if (random.chance(75))
        EXPECT_IN_THE_WAY(gs_stream_abort_capture(stream));
    else
        EXPECT_IN_THE_WAY(gs_stream_end_capture(stream, &graph));
    if (graph) destroy(place.graph.put(graph));
}

void launch(Table &table, Random &random) {
    gs_graph_t graph = table.any(random).graph.put(nullptr);
    if (!graph) return;
    gs_graph_exec_t exec = nullptr;
    const gs_status_t made = gs_graph_instantiate(graph, 0, &exec);
    EXPECT_IN_THE_WAY(made);
    destroy(graph);
    if (!exec) return;
    EXPECT_IN_THE_WAY(gs_graph_exec_launch(exec, table.any(random).stream.get()));
    EXPECT_OK(gs_graph_exec_destroy(exec));
}

void replace(Table &table, Random &random) {
    Place &place = table.any(random);
    gs_stream_t fresh = nullptr;
    EXPECT_OK(gs_stream_create(0, 0, 0, &fresh));
    gs_stream_t old = place.stream.put(fresh);
    EXPECT_IN_THE_WAY(gs_stream_abort_capture(old));
    EXPECT_OK(gs_stream_destroy(old));
}

TEST(CaptureRaces, WorkAndKeepsWhileOthersEndTheCapture) {
    static Table table; // a function that is called too often may come late
    Random first(0);
    for (Place &place : table.places) {
        place.event.put(make_event(GS_EVENT_EXTERNAL).release());
        place.stream.put(make_stream(0).release());
    }
    const int steps = rounds(10'000, 5'000);
    run_threads(kThreads, [&](int i) {
        Random random(static_cast<uint32_t>(i) + 1);
        for (int step = 0; step < steps; ++step) {
            if (i % 2 == 0)
                (random.chance(70) ? use_stream : use_graph)(table, random);
            else if (random.chance(90))
                capture(table, random);
            else
                (random.chance(90) ? launch : replace)(table, random);
        }
    });
    for (Place &place : table.places) {
        gs_stream_t stream = place.stream.put(nullptr);
        EXPECT_IN_THE_WAY(gs_stream_abort_capture(stream));
        EXPECT_OK(gs_stream_destroy(stream));
        destroy(place.graph.put(nullptr));
        EXPECT_OK(gs_event_destroy(place.event.put(nullptr)));
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    EXPECT_OK(gs_trim()); // gives up the captures of streams that were destroyed
    do settle();
    while (table.called < table.given && std::chrono::steady_clock::now() < end);
    EXPECT_EQ(table.called, table.given);
}

// What the library records for itself must not become part of another thread's graph: the timeline would fail forever.
TEST(CaptureRaces, SignalsOfAStreamThatJoinsCapturesAndLeavesThem) {
    const Stream stream = make_stream(0), origin = make_stream(0);
    const Event event = make_event(0);
    gs_timeline_t timeline = nullptr;
    ASSERT_OK(gs_timeline_create(0, 0, GS_TIMELINE_SIGNAL_FIRST, &timeline));
    gs_queue_t queue = nullptr;
    ASSERT_OK(gs_queue_create(64, 0, &queue));
    std::atomic<bool> over{false};
    uint64_t signalled = 0;
    run_threads(2, [&](int i) {
        if (i == 0) {
            for (int left = rounds(10'000, 2'000); left > 0; --left) {
                ASSERT_OK(gs_stream_begin_capture(origin.get(), GS_CAPTURE_RELAXED));
                EXPECT_IN_THE_WAY(gs_stream_wait_stream(stream.get(), origin.get()));
                EXPECT_IN_THE_WAY(gs_stream_wait_stream(origin.get(), stream.get()));
                gs_graph_t graph = nullptr;
                EXPECT_IN_THE_WAY(gs_stream_end_capture(origin.get(), &graph));
                destroy(graph);
                EXPECT_IN_THE_WAY(gs_stream_abort_capture(origin.get()));
            }
            over = true;
            return;
        }
        gs_completion_t entry{};
        size_t taken = 0;
        int32_t done = 0;
        while (!over) {
            const gs_status_t status = gs_stream_signal_timeline(stream.get(), timeline, signalled + 1);
            EXPECT_IN_THE_WAY(status);
            if (status == GS_OK) ++signalled;
            const gs_status_t added = gs_queue_add_stream(queue, stream.get(), signalled);
            EXPECT_IN_THE_WAY(added);
            if (added == GS_OK) ASSERT_OK(gs_queue_wait(queue, &entry, 1, -1, &taken));
            EXPECT_EQ(entry.status, GS_OK);
            EXPECT_IN_THE_WAY(gs_event_record(event.get(), stream.get()));
            const gs_status_t queried = gs_event_query(event.get(), &done);
            EXPECT_TRUE(queried == GS_OK || queried == GS_ERROR_CAPTURING) << gs_status_name(queried);
        }
    });
    EXPECT_OK(gs_stream_synchronize(stream.get()));
    uint64_t value = 0;
    EXPECT_OK(gs_timeline_value(timeline, &value));
    EXPECT_EQ(value, signalled);
    EXPECT_OK(gs_stream_signal_timeline(stream.get(), timeline, signalled + 1));
    EXPECT_OK(gs_timeline_synchronize(timeline, signalled + 1, -1));
    EXPECT_OK(gs_queue_destroy(queue));
    EXPECT_OK(gs_timeline_destroy(timeline));
}

} // namespace
} // namespace gs::test
