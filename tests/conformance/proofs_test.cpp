// SPDX-License-Identifier: Apache-2.0
// What a synchronize or a complete query proves: the thread's earlier records need no driver call any more, later ones do. With
// GPUSTREAM_ELIDE=0 all of them reach the driver.
#include <vector>

#include "conformance/captures.hpp"

namespace gs::test {
namespace {

std::vector<Event> recorded(const Stream &stream, int count) {
    std::vector<Event> events;
    for (int i = 0; i < count; ++i) {
        events.push_back(make_event());
        EXPECT_OK(gs_event_record(events.back(), stream));
    }
    return events;
}

// Queries, waits and synchronizes of events that are known to be complete. Driver calls are not counted: the library's own
// threads make some.
void expect_free(const std::vector<Event> &events, const Stream &waiting, bool elides) {
    StatsDelta stats;
    for (const Event &event : events) {
        EXPECT_TRUE(done(event.get()));
        EXPECT_OK(gs_event_wait(event, waiting));
        EXPECT_OK(gs_event_synchronize(event));
    }
    const uint64_t each = elides ? events.size() : 0;
    EXPECT_EQ(stats.since(&gs_stats_t::elided_queries), each);
    EXPECT_EQ(stats.since(&gs_stats_t::elided_waits), each);
    EXPECT_EQ(stats.since(&gs_stats_t::elided_synchronizes), each);
}

void expect_asked(const Event &event, bool is_done) {
    StatsDelta stats;
    EXPECT_EQ(done(event.get()), is_done);
    EXPECT_EQ(stats.since(&gs_stats_t::elided_queries), 0u);
}

} // namespace

TEST_P(Conformance, Proofs_OfAStreamSynchronize) {
    Stream stream = make_stream(), other = make_stream();
    const std::vector<Event> events = recorded(stream, 5);
    ASSERT_OK(gs_stream_synchronize(stream));
    expect_free(events, other, elides());
    ASSERT_OK(gs_event_record(events[0], other)); // a record of another stream
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_event_record(events[1], stream)); // a later one
    expect_asked(events[1], false);
    gate.open();
    ASSERT_OK(gs_stream_synchronize_for(stream, 60'000'000'000));
    StatsDelta stats;
    EXPECT_TRUE(done(events[1].get()));
    EXPECT_EQ(stats.since(&gs_stats_t::elided_queries), elides() ? 1u : 0u);
}

TEST_P(Conformance, Proofs_OfAnIdleStream) {
    Stream stream = make_stream(), other = make_stream();
    const std::vector<Event> events = recorded(stream, 3);
    int32_t idle = 0;
    while (!idle) ASSERT_OK(gs_stream_query(stream, &idle));
    expect_free(events, other, elides());
}

TEST_P(Conformance, Proofs_OfADeviceSynchronize) {
    Stream first = make_stream(), second = make_stream();
    const std::vector<Event> one = recorded(first, 2), two = recorded(second, 2);
    ASSERT_OK(gs_device_synchronize(0));
    expect_free(one, second, elides());
    expect_free(two, first, elides());
    Gate gate;
    ASSERT_OK(gate.hold(first));
    ASSERT_OK(gs_event_record(one[0], first));
    expect_asked(one[0], false);
    gate.open();
}

TEST_P(Conformance, Proofs_OfALaterEvent) {
    Stream stream = make_stream(), other = make_stream();
    const std::vector<Event> events = recorded(stream, 3);
    Event last = make_event();
    ASSERT_OK(gs_event_record(last, stream));
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    Event behind = make_event();
    ASSERT_OK(gs_event_record(behind, stream));
    ASSERT_OK(gs_event_synchronize(last));
    expect_free(events, other, elides());
    expect_asked(behind, false);
    gate.open();
    while (!done(behind.get())) {} // a query that finds it complete
    ASSERT_OK(gs_stream_synchronize(stream));
}

// A fork and its join: who waits for the stream that joined knows of the others too, up to the join.
TEST_P(Conformance, Proofs_GoThroughJoins) {
    Stream main = make_stream(), by_event = make_stream(), by_stream = make_stream();
    const std::vector<Event> one = recorded(by_event, 2), two = recorded(by_stream, 2);
    ASSERT_OK(gs_event_wait(one[1], main));
    ASSERT_OK(gs_stream_wait_stream(main, by_stream));
    Gate gate, second_gate;
    ASSERT_OK(gate.hold(by_event));
    ASSERT_OK(second_gate.hold(by_stream));
    const std::vector<Event> late = recorded(by_event, 1), later = recorded(by_stream, 1);
    ASSERT_OK(gs_stream_synchronize(main));
    expect_free(one, by_stream, elides());
    expect_free(two, by_event, elides());
    expect_asked(late[0], false);
    expect_asked(later[0], false);
    // A join that comes after the synchronize proves nothing yet.
    ASSERT_OK(gs_event_wait(late[0], main));
    expect_asked(late[0], false);
    gate.open();
    second_gate.open();
}

// The event that was waited for comes before the join.
TEST_P(Conformance, Proofs_OfAnEventBeforeAJoin) {
    Stream main = make_stream(), other = make_stream();
    const std::vector<Event> before = recorded(main, 1);
    Gate gate;
    ASSERT_OK(gate.hold(other));
    const std::vector<Event> pending = recorded(other, 1);
    ASSERT_OK(gs_event_wait(pending[0], main));
    ASSERT_OK(gs_event_synchronize(before[0]));
    expect_asked(pending[0], false);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(main));
    expect_free(pending, main, elides());
}

// Two streams that wait for each other in turn.
TEST_P(Conformance, Proofs_OfStreamsThatWaitForEachOther) {
    Stream one = make_stream(), other = make_stream();
    std::vector<Event> events;
    for (int i = 0; i < 40; ++i) {
        events.push_back(make_event());
        ASSERT_OK(gs_event_record(events.back(), i % 2 ? one : other));
        ASSERT_OK(gs_event_wait(events.back(), i % 2 ? other : one));
    }
    ASSERT_OK(gs_stream_synchronize(other));
    for (const Event &event : events) EXPECT_TRUE(done(event.get()));
}

// A capture runs no work, so a join in one proves nothing.
TEST_P(Conformance, Proofs_NotByJoinsOfCaptures) {
    prepare_kernels();
    Stream stream = make_stream(), joined = make_stream();
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    const std::vector<Event> events = recorded(stream, 1);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_stream_wait_stream(joined, stream));
    ASSERT_OK(gs_stream_sleep(joined, 1));
    ASSERT_OK(gs_stream_wait_stream(stream, joined));
    EXPECT_TRUE(end_capture(stream));
    ASSERT_OK(gs_stream_synchronize(joined));
    expect_asked(events[0], false);
    gate.open();
}

// Other code may record the event, or take the stream into a capture of its own.
TEST_P(Conformance, Proofs_NotOfWhatOthersKnow) {
    Stream stream = make_stream(), shown = make_stream();
    const std::vector<Event> given = recorded(stream, 1);
    uintptr_t native = 0;
    ASSERT_OK(gs_event_native(given[0], &native));
    ASSERT_OK(gs_stream_native(shown, &native));
    const std::vector<Event> reached = recorded(shown, 1);
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_stream_synchronize(shown));
    expect_asked(given[0], true);
    expect_asked(reached[0], true);
}

// A wait of the default stream takes effect in that stream.
TEST_P(Conformance, Proofs_LeaveTheDefaultStreamsWaitsAlone) {
    Stream stream = make_stream(0);
    const std::vector<Event> events = recorded(stream, 1);
    ASSERT_OK(gs_stream_synchronize(stream));
    StatsDelta stats;
    EXPECT_OK(gs_event_wait(events[0], default_stream(0)));
    EXPECT_EQ(stats.since(&gs_stats_t::elided_waits), 0u);
}

} // namespace gs::test
