// SPDX-License-Identifier: Apache-2.0
// Completion beside captures: what is awaited may be recorded in a capture, and nothing that is asked breaks one.
#include <atomic>
#include <thread>

#include "conformance/captures.hpp"
#include "support/entries.hpp"

namespace gs::test {

// The driver's event of an awaited record is asked about again and again: a record in a capture must take another one.
TEST_P(Conformance, Completion_AnAwaitedEventIsRecordedInACapture) {
    Stream outside = make_stream(0), captured = make_stream(0), later = make_stream(0);
    Event event = make_event();
    Queue queue;
    Gate gate;
    ASSERT_OK(gate.hold(outside));
    ASSERT_OK(gs_event_record(event, outside));
    ASSERT_OK(gs_queue_add_event(queue, event, 1));
    ASSERT_OK(gs_stream_begin_capture(captured, GS_CAPTURE_GLOBAL));
    ASSERT_OK(gs_event_record(event, captured));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_queue_add_event(queue, event, 2));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_event_synchronize_for(event, 1));
    gate.open();
    EXPECT_EQ(queue.take_one().token, 1u) << "the record before the capture is complete";
    EXPECT_EQ(capture_state(captured), GS_CAPTURE_STATE_ACTIVE);
    end_capture(captured).reset();
    ASSERT_OK(gs_event_record(event, later));
    ASSERT_OK(gs_queue_add_event(queue, event, 3));
    EXPECT_EQ(queue.take_one().token, 3u);
}

TEST_P(Conformance, Completion_NoWaitModeBreaksACapture) {
    Stream captured = make_stream(0);
    Event event = make_event();
    ASSERT_OK(gs_stream_begin_capture(captured, GS_CAPTURE_GLOBAL));
    ASSERT_OK(gs_event_record(event, captured));
    for (const int32_t mode : {GS_WAIT_DRIVER, GS_WAIT_SPIN, GS_WAIT_BLOCK, GS_WAIT_ADAPTIVE}) {
        ASSERT_OK(gs_set_option(GS_OPTION_WAIT_MODE, mode));
        EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_synchronize(captured)) << mode;
        EXPECT_STATUS(GS_ERROR_CAPTURING, gs_event_synchronize(event)) << mode;
        EXPECT_EQ(capture_state(captured), GS_CAPTURE_STATE_ACTIVE) << mode;
    }
    ASSERT_OK(gs_set_option(GS_OPTION_WAIT_MODE, GS_WAIT_DRIVER));
    end_capture(captured).reset();
}

TEST_P(Conformance, Completion_AFunctionDeferredInACaptureWaitsForTheGraph) {
    Stream captured = make_stream(0), other = make_stream(0);
    std::atomic<int> ran{0};
    const auto settle = [&] { // all that the dispatcher had before has run
        std::atomic<bool> told{false};
        ASSERT_OK(gs_stream_notify(
            other, [](void *flag, gs_status_t) { *static_cast<std::atomic<bool> *>(flag) = true; }, &told));
        while (!told) std::this_thread::yield();
    };
    ASSERT_OK(gs_stream_begin_capture(captured, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_stream_sleep(captured, 1'000));
    ASSERT_OK(gs_stream_defer(captured, [](void *count) { ++*static_cast<std::atomic<int> *>(count); }, &ran));
    Graph graph = end_capture(captured);
    GraphExec exec = instantiate(graph);
    graph.reset();
    for (int launch = 0; launch < 3; ++launch) ASSERT_OK(gs_graph_exec_launch(exec, captured));
    ASSERT_OK(gs_stream_synchronize(captured));
    ASSERT_OK(gs_trim());
    settle();
    EXPECT_EQ(ran, 0) << "the executable may be launched again";
    exec.reset();
    while (ran == 0) {
        ASSERT_OK(gs_trim());
        std::this_thread::yield();
    }
    settle();
    EXPECT_EQ(ran, 1);
}

// The end of the work so far is marked before the capture begins: a mark in the capture would be asked about, and break it.
TEST_P(Conformance, Completion_AFunctionDeferredBeforeACaptureRunsDuringIt) {
    Stream captured = make_stream(0);
    for (const bool to_graph : {false, true}) {
        std::atomic<int> ran{0};
        ASSERT_OK(gs_stream_sleep(captured, 1'000));
        ASSERT_OK(gs_stream_defer(captured, [](void *count) { ++*static_cast<std::atomic<int> *>(count); }, &ran));
        gs_graph_t made = nullptr;
        if (to_graph) ASSERT_OK(gs_graph_create(0, 0, &made));
        const Graph graph(made);
        if (to_graph) {
            ASSERT_OK(gs_stream_begin_capture_to(captured, graph, nullptr, 0, GS_CAPTURE_THREAD_LOCAL));
        } else {
            ASSERT_OK(gs_stream_begin_capture(captured, GS_CAPTURE_THREAD_LOCAL));
        }
        while (ran == 0) std::this_thread::yield();
        EXPECT_EQ(capture_state(captured), GS_CAPTURE_STATE_ACTIVE) << to_graph;
        EXPECT_OK(gs_stream_sleep(captured, 1'000)) << to_graph;
        end_capture(captured).reset();
        EXPECT_EQ(ran, 1);
    }
}

} // namespace gs::test
