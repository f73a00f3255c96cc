// SPDX-License-Identifier: Apache-2.0
// Streams that wait for an interprocess event of another device. A CUDA driver crashes if it is asked for that (probe P24), and so
// does the fake one. Case19 has such a wait for an event of another process.
#include "conformance/captures.hpp"
#include "conformance/conformance.hpp"
#include "support/stats_delta.hpp"

namespace gs::test {

TEST_P(Conformance, Interprocess_AStreamOfAnotherDeviceWaits) {
    GS_NEEDS_DEVICES(2);
    Stream records = make_stream(0), waits = make_stream(1), again = make_stream(1);
    Event event = make_event(GS_EVENT_INTERPROCESS);
    Gate gate, later;
    ASSERT_OK(gate.hold(records));
    ASSERT_OK(gs_event_record(event, records));
    ASSERT_OK(later.hold(records)); // not what the event has recorded
    EXPECT_OK(gs_stream_wait_event(waits, event));
    EXPECT_OK(gs_event_wait(event, again));
    EXPECT_FALSE(done(waits.get()));
    EXPECT_FALSE(done(again.get()));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_OK(gs_stream_synchronize(again));
    later.open();
}

// A wait keeps to the record that it was made for.
TEST_P(Conformance, Interprocess_ALaterRecordHoldsNoOtherDevice) {
    GS_NEEDS_DEVICES(2);
    Stream records = make_stream(0), waits = make_stream(1);
    Event event = make_event(GS_EVENT_INTERPROCESS);
    Gate first, second;
    ASSERT_OK(first.hold(records));
    ASSERT_OK(gs_event_record(event, records));
    ASSERT_OK(gs_stream_wait_event(waits, event));
    ASSERT_OK(second.hold(records));
    ASSERT_OK(gs_event_record(event, records));
    first.open();
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_FALSE(done(event.get()));
    second.open();
    EXPECT_OK(gs_event_synchronize(event));
}

TEST_P(Conformance, Interprocess_AWaitOnItsOwnDeviceIsOneCall) {
    Stream records = make_stream(0), waits = make_stream(0);
    Event event = make_event(GS_EVENT_INTERPROCESS);
    Gate gate;
    ASSERT_OK(gate.hold(records));
    ASSERT_OK(gs_event_record(event, records));
    StatsDelta delta;
    EXPECT_OK(gs_stream_wait_event(waits, event));
    EXPECT_EQ(delta.driver_calls(), 1u);
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits));
}

// As a node of a graph it would wait at each launch. The capture is left intact.
TEST_P(Conformance, Interprocess_NoNodeOfAnotherDeviceWaits) {
    GS_NEEDS_DEVICES(2);
    Stream records = make_stream(0), captured = make_stream(1);
    Event external = make_event(GS_EVENT_INTERPROCESS | GS_EVENT_EXTERNAL);
    ASSERT_OK(gs_event_record(external, records));
    ASSERT_OK(gs_stream_synchronize(records));
    ASSERT_OK(gs_stream_begin_capture(captured, GS_CAPTURE_GLOBAL));
    const gs_status_t of_event = gs_stream_wait_event(captured, external);
    gs_graph_t graph = nullptr;
    EXPECT_OK(gs_stream_end_capture(captured, &graph));
    EXPECT_OK(gs_graph_destroy(graph));
    const gs_status_t expected = on_host() ? GS_OK : GS_ERROR_NOT_SUPPORTED;
    EXPECT_EQ(of_event, expected);
}

} // namespace gs::test
