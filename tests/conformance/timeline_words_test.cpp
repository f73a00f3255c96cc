// SPDX-License-Identifier: Apache-2.0
// Timelines whose word no stream has needed yet: a signal is a record, and each reader asks about it. A stream that waits first
// makes the timeline write its word.
#include "conformance/conformance.hpp"
#include "core/timeline/timeline_table.hpp"
#include "support/gate.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

// Driver calls of one signal, whose record and event have been made by an earlier one.
uint64_t calls_of_signal(gs_stream_t stream, gs_timeline_t timeline, uint64_t value) {
    StatsDelta delta;
    EXPECT_OK(gs_stream_signal_timeline(stream, timeline, value));
    return delta.driver_calls();
}

// After it a signal needs no new event.
void warm_up(gs_stream_t stream, const Timeline &timeline, uint64_t value) {
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, value));
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_EQ(timeline.value(), value);
}

// The newest signal has not happened. Other threads' driver calls are counted too, so after a switch they do not show this.
bool is_last_written(gs_timeline_t timeline) {
    TimelineSlot &slot = *find_timeline_slot(handle_bits(timeline));
    BriefGuard lock(slot.mutex);
    return slot.last_signal && slot.last_signal->written;
}

size_t listed_signals(gs_timeline_t timeline) {
    TimelineSlot &slot = *find_timeline_slot(handle_bits(timeline));
    BriefGuard lock(slot.mutex);
    size_t count = 0;
    for (const TimelineSignal *signal = slot.signals; signal; signal = signal->next) ++count;
    return count;
}

} // namespace

TEST_P(Conformance, TimelineWord_NoStreamNeedsIt) {
    Stream signals = make_stream(0), waits = make_stream(0);
    Timeline timeline;
    warm_up(signals, timeline, 1);
    Gate gate;
    ASSERT_OK(gate.hold(signals));
    EXPECT_EQ(calls_of_signal(signals, timeline, 2), 1u) << "a record";
    StatsDelta delta;
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 2));
    EXPECT_EQ(delta.driver_calls(), 1u) << "a wait for the record's event";
    EXPECT_FALSE(done(waits.get()));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_EQ(timeline.value(), 2u);
}

TEST_P(Conformance, TimelineWord_AReaderAsksForTheValue) {
    Stream stream = make_stream(0);
    Timeline timeline;
    Gate gates[3];
    for (uint64_t i = 0; i < 3; ++i) { // signals of 1 to 30
        ASSERT_OK(gates[i].hold(stream));
        for (uint64_t value = 1; value <= 10; ++value)
            ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 10 * i + value));
    }
    EXPECT_EQ(timeline.value(), 0u);
    for (uint64_t i = 0; i < 3; ++i) {
        gates[i].open();
        ASSERT_OK(gs_timeline_synchronize(timeline, 10 * i + 10, -1));
        EXPECT_EQ(timeline.value(), 10 * i + 10);
    }
    StatsDelta delta;
    EXPECT_EQ(timeline.value(), 30u);
    EXPECT_EQ(delta.driver_calls(), 0u) << "nothing is left to ask about";
}

// Some have happened and some not: none of the signals has been asked about before.
TEST_P(Conformance, TimelineWord_AValueInTheMiddle) {
    Stream stream = make_stream(0), other = make_stream(0);
    for (const uint64_t happened : {1, 2, 5, 8, 9}) {
        Timeline timeline;
        Gate gate;
        Event behind = make_event(0);
        for (uint64_t value = 1; value <= 9; ++value) {
            ASSERT_OK(gs_stream_signal_timeline(stream, timeline, value));
            if (value != happened) continue;
            ASSERT_OK(gs_event_record(behind, stream));
            ASSERT_OK(gate.hold(stream));
        }
        ASSERT_OK(gs_event_synchronize(behind));
        EXPECT_EQ(timeline.value(), happened);
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_signal(timeline, happened));
        if (happened < 9) EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_signal(timeline, happened + 1));
        gate.open();
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_OK(gs_timeline_signal(timeline, 10)) << "the last one has happened";
        EXPECT_EQ(timeline.value(), 10u);
    }
}

TEST_P(Conformance, TimelineWord_AStreamThatWaitsFirstNeedsIt) {
    Stream signals = make_stream(0), waits = make_stream(0);
    Timeline timeline;
    warm_up(signals, timeline, 1);
    Gate gate;
    ASSERT_OK(gate.hold(signals));
    ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 2));
    ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 3));
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 5));
    EXPECT_FALSE(is_last_written(timeline));
    ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 4));
    EXPECT_TRUE(is_last_written(timeline));
    EXPECT_FALSE(done(waits.get()));
    EXPECT_EQ(timeline.value(), 1u);
    ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 5));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_EQ(timeline.value(), 5u);
}

// The signals were submitted without a write, so only the library can bring the word up to what the stream waits for.
TEST_P(Conformance, TimelineWord_AWaitBetweenSignalsThatAreNotWritten) {
    Stream signals = make_stream(0);
    Stream waits[] = {make_stream(0), make_stream(0)};
    Timeline timeline;
    Gate gates[2];
    for (uint64_t i = 0; i < 2; ++i) {
        ASSERT_OK(gates[i].hold(signals));
        ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 10 * (i + 1)));
    }
    ASSERT_OK(gs_stream_wait_timeline(waits[1], timeline, 15));
    ASSERT_OK(gs_stream_wait_timeline(waits[0], timeline, 5));
    EXPECT_FALSE(done(waits[0].get()));
    gates[0].open();
    EXPECT_OK(gs_stream_synchronize(waits[0]));
    EXPECT_FALSE(done(waits[1].get()));
    EXPECT_EQ(timeline.value(), 10u);
    gates[1].open();
    EXPECT_OK(gs_stream_synchronize(waits[1]));
    EXPECT_EQ(timeline.value(), 20u);
}

// The larger signal has happened, which the wait asks for.
TEST_P(Conformance, TimelineWord_AWaitForLessThanWhatHasHappened) {
    Stream signals = make_stream(0), waits = make_stream(0);
    Timeline timeline;
    warm_up(signals, timeline, 1);
    ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 10));
    ASSERT_OK(gs_stream_synchronize(signals));
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 5));
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_EQ(calls_of_signal(signals, timeline, 11), 1u) << "still no stream needs the word";
    ASSERT_OK(gs_timeline_synchronize(timeline, 11, -1));
}

// An event cannot be aborted, so a signal that may never come is written.
TEST_P(Conformance, TimelineWord_ASignalBehindAWaitIsWritten) {
    Stream signals = make_stream(0), waits = make_stream(0);
    Timeline timeline, other;
    warm_up(signals, timeline, 1);
    ASSERT_OK(gs_stream_wait_timeline(signals, other, 1));
    EXPECT_EQ(calls_of_signal(signals, timeline, 2), 2u);
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 2));
    ASSERT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED));
    EXPECT_OK(gs_stream_synchronize(waits)) << "while the signal is stuck";
    ASSERT_OK(gs_timeline_signal(other, 1));
    EXPECT_OK(gs_stream_synchronize(signals));
}

// The same after signals that were not written.
TEST_P(Conformance, TimelineWord_ASignalBehindAWaitAndBehindOthers) {
    Stream first = make_stream(0), second = make_stream(0), waits = make_stream(0);
    Timeline timeline, other;
    Gate gate;
    ASSERT_OK(gate.hold(first));
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 1));
    ASSERT_OK(gs_stream_wait_timeline(second, other, 1));
    ASSERT_OK(gs_stream_signal_timeline(second, timeline, 2));
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 2));
    ASSERT_OK(gs_timeline_signal(other, 1));
    EXPECT_FALSE(done(waits.get()));
    EXPECT_EQ(timeline.value(), 0u);
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_EQ(timeline.value(), 2u);
}

TEST_P(Conformance, TimelineWord_SignalsOfTwoStreamsByTheirEvents) {
    Stream streams[] = {make_stream(0), make_stream(0)};
    Timeline timeline;
    for (uint64_t before = 0; before <= 3; before += 3) { // the first round takes events from the pool
        Gate gate;
        ASSERT_OK(gate.hold(streams[1]));
        ASSERT_OK(gs_stream_signal_timeline(streams[1], timeline, before + 1));
        const uint64_t calls = calls_of_signal(streams[0], timeline, before + 2);
        if (before != 0) EXPECT_EQ(calls, 2u) << "a wait for the signal before, and a record";
        ASSERT_OK(gs_stream_signal_timeline(streams[1], timeline, before + 3));
        EXPECT_FALSE(done(streams[0].get()));
        EXPECT_EQ(timeline.value(), before);
        gate.open();
        ASSERT_OK(gs_timeline_synchronize(timeline, before + 3, -1));
        EXPECT_EQ(timeline.value(), before + 3);
    }
}

// Who looks about as often as the timeline is signalled is better off with a word.
TEST_P(Conformance, TimelineWord_ManyReadersNeedIt) {
    Stream stream = make_stream(0);
    Timeline timeline;
    warm_up(stream, timeline, 1);
    EXPECT_EQ(calls_of_signal(stream, timeline, 2), 1u);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 3));
    for (int i = 0; i < 30; ++i) EXPECT_LE(timeline.value(), 2u);
    EXPECT_FALSE(is_last_written(timeline));
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 4));
    EXPECT_TRUE(is_last_written(timeline));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(timeline.value(), 4u);
}

// No caller looks, so the signals themselves ask now and then, or their records would never serve again.
TEST_P(Conformance, TimelineWord_RecordsServeAgainThoughNobodyAsks) {
    Stream stream = make_stream(0);
    Timeline timeline;
    uint64_t value = 0;
    for (int round = 0; round < 20; ++round) {
        for (int i = 0; i < 50; ++i) ASSERT_OK(gs_stream_signal_timeline(stream, timeline, ++value));
        ASSERT_OK(gs_stream_synchronize(stream));
    }
    EXPECT_LE(listed_signals(timeline), 128u);
    EXPECT_EQ(timeline.value(), value);
    EXPECT_EQ(listed_signals(timeline), 0u);
}

} // namespace gs::test
