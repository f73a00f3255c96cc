// SPDX-License-Identifier: Apache-2.0
// Captures into bodies of conditional nodes: the graph around a body lives as long as the capture.
#include <atomic>

#include "conformance/captures.hpp"
#include "support/nodes.hpp"

namespace gs::test {

TEST_P(Conformance, BodyCapture_OutlivesTheLastReferenceOfTheGraph) {
    GS_NEEDS_CONDITIONS();
    Stream stream = make_stream(0);
    for (const bool aborts : {false, true}) {
        SCOPED_TRACE(aborts);
        gs_graph_t graph = make_graph().release();
        const Condition condition = add_condition(graph, {}, GS_CONDITION_IF, 1, 1);
        ASSERT_OK(gs_stream_begin_capture_to(stream, condition.bodies[0], nullptr, 0, GS_CAPTURE_RELAXED));
        EXPECT_OK(gs_graph_destroy(graph));
        EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_destroy, "until", graph);
        EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_retain, "until", graph);
        EXPECT_OK(gs_stream_sleep(stream, 1));
        gs_graph_summary_t summary{};
        summary.struct_size = sizeof summary;
        EXPECT_OK(gs_graph_info(condition.bodies[0], &summary));
        EXPECT_EQ(summary.node_count, 1u);
        gs_graph_t body = nullptr;
        if (aborts) {
            EXPECT_OK(gs_stream_abort_capture(stream));
        } else {
            EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_stream_end_capture, "destroyed during the capture", stream, &body);
        }
        EXPECT_EQ(body, nullptr);
        EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_NONE);
        EXPECT_EQ(gs_graph_info(condition.bodies[0], &summary), GS_ERROR_INVALID_HANDLE);
        EXPECT_EQ(gs_graph_info(graph, &summary), GS_ERROR_INVALID_HANDLE);
    }
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(Conformance, BodyCapture_IsTheOnlyOneIntoTheBody) {
    GS_NEEDS_CONDITIONS();
    Stream stream = make_stream(0), second = make_stream(0);
    Graph graph = make_graph();
    const Condition condition = add_condition(graph, {}, GS_CONDITION_IF, 1, 2);
    const gs_graph_t first_body = condition.bodies[0], second_body = condition.bodies[1];
    ASSERT_OK(gs_stream_begin_capture_to(stream, first_body, nullptr, 0, GS_CAPTURE_RELAXED));
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_begin_capture_to, "another stream", second, first_body, nullptr, 0,
                 GS_CAPTURE_RELAXED);
    gs_graph_exec_t exec = nullptr;
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_graph_instantiate, "captured into", graph, 0, &exec);
    ASSERT_OK(gs_stream_begin_capture_to(second, second_body, nullptr, 0, GS_CAPTURE_RELAXED));
    gs_graph_t ended = nullptr;
    EXPECT_OK(gs_stream_end_capture(stream, &ended));
    EXPECT_EQ(ended, first_body);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_graph_instantiate, "captured into", graph, 0, &exec);
    EXPECT_OK(gs_stream_end_capture(second, &ended));
    EXPECT_EQ(ended, second_body);
    ASSERT_OK(gs_stream_begin_capture_to(second, first_body, nullptr, 0, GS_CAPTURE_RELAXED)); // again
    EXPECT_OK(gs_stream_abort_capture(second));
    EXPECT_TRUE(instantiate(graph));
}

TEST_P(Conformance, BodyCapture_TakesNoHostFunction) {
    GS_NEEDS_CONDITIONS();
    Stream stream = make_stream(0);
    Graph graph = make_graph();
    const Condition condition = add_condition(graph, {}, GS_CONDITION_IF, 1, 1);
    ASSERT_OK(gs_stream_begin_capture_to(stream, condition.bodies[0], nullptr, 0, GS_CAPTURE_RELAXED));
    std::atomic<int> runs{0};
    // Not left to the driver: 580.159 takes the function.
    EXPECT_FAILS(
        GS_ERROR_NOT_SUPPORTED, gs_stream_launch_host, "cannot have host functions", stream,
        [](void *count) { static_cast<std::atomic<int> *>(count)->fetch_add(1); }, &runs);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    EXPECT_OK(gs_stream_abort_capture(stream));
    EXPECT_OK(gs_stream_launch_host(
        stream, [](void *count) { static_cast<std::atomic<int> *>(count)->fetch_add(1); }, &runs));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(runs, 1);
}

TEST_P(Conformance, BodyCapture_TakesNoExternalEvent) {
    GS_NEEDS_CONDITIONS();
    Stream stream = make_stream(0);
    Graph graph = make_graph();
    Event event = make_event(GS_EVENT_EXTERNAL);
    const Condition condition = add_condition(graph, {}, GS_CONDITION_IF, 1, 1);
    ASSERT_OK(gs_stream_begin_capture_to(stream, condition.bodies[0], nullptr, 0, GS_CAPTURE_RELAXED));
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_event_record, "cannot have host functions or events", event, stream);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_stream_wait_event, "cannot have host functions or events", stream, event);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    gs_graph_t body = nullptr;
    EXPECT_OK(gs_stream_end_capture(stream, &body));
    gs_graph_summary_t summary{};
    summary.struct_size = sizeof summary;
    EXPECT_OK(gs_graph_info(body, &summary));
    EXPECT_EQ(summary.node_count, 0u);
    EXPECT_TRUE(instantiate(graph));
}

TEST_P(Conformance, BodyCapture_EndsBeforeTheCaptureAroundIt) {
    GS_NEEDS_CONDITIONS();
    Stream stream = make_stream(0), inner = make_stream(0);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    const Condition condition = add_condition(info_of(stream).graph, {}, GS_CONDITION_IF, 1, 1);
    ASSERT_OK(gs_stream_begin_capture_to(inner, condition.bodies[0], nullptr, 0, GS_CAPTURE_RELAXED));
    gs_graph_t graph = nullptr;
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_end_capture, "must end first", stream, &graph);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_abort_capture, "must end first", stream);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    EXPECT_OK(gs_stream_end_capture(inner, &graph));
    EXPECT_EQ(graph, condition.bodies[0]);
    EXPECT_TRUE(end_capture(stream));
}

// The library knows who records an event that its graphs record: a wait that would break the capture is refused.
TEST_P(Conformance, Capture_IsNotBrokenByAnEventOfAGraph) {
    Stream stream = make_stream(0), outside = make_stream(0);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, outside));
    Graph graph = make_graph();
    gs_node_t node = 0;
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, record_node(event), &node));
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_wait_event, "outside of its capture", stream, event);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    EXPECT_TRUE(end_capture(stream));
}

// Other processes know the event; none of them has a part in this process's capture.
TEST_P(Conformance, Capture_IsNotBrokenByAnInterprocessEvent) {
    Stream stream = make_stream(0), outside = make_stream(0), joining = make_stream(0);
    Event event = make_event(GS_EVENT_INTERPROCESS);
    ASSERT_OK(gs_event_record(event, outside));
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_wait_event, "outside of its capture", stream, event);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    if (gs_event_record(event, stream) == GS_OK) { // a driver may refuse it
        EXPECT_OK(gs_stream_wait_event(joining, event));
        EXPECT_EQ(capture_state(joining), GS_CAPTURE_STATE_ACTIVE);
        EXPECT_OK(gs_stream_wait_stream(stream, joining));
    }
    EXPECT_TRUE(end_capture(stream));
}

// Replays of one would fail once another process knows the event. On CUDA the driver decides.
TEST_P(Conformance, Capture_OfARecordOfAnInterprocessEventIsRefusedOnHost) {
    Stream stream = make_stream(0);
    Event event = make_event(GS_EVENT_INTERPROCESS | GS_EVENT_EXTERNAL);
    EXPECT_OK(gs_event_record(event, stream));
    if (!on_host()) return;
    Graph graph = make_graph();
    gs_node_t node = 0;
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "interprocess", graph, nullptr, 0, record_node(event),
                 &node);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_event_record, "interprocess", event, stream);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    EXPECT_TRUE(end_capture(stream));
}

TEST_P(Conformance, RowGraph_ARefusedRecordNodeLeavesTheEventUnbound) {
    Event event = make_event();
    Graph graph = make_graph();
    const gs_node_t none = ~gs_node_t{0};
    gs_node_t node = 0;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_graph_add_node, "no node", graph, &none, 1, record_node(event), &node);
    gs_device_t device = 0;
    EXPECT_OK(gs_event_device(event, &device));
    EXPECT_EQ(device, GS_DEVICE_NONE);
    EXPECT_OK(gs_event_destroy(event.release()));
}

} // namespace gs::test
