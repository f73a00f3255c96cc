// SPDX-License-Identifier: Apache-2.0
// Timelines with GS_TIMELINE_SIGNAL_FIRST: a signal is a record, a stream waits only for one that is submitted, and who needs the
// value asks for it.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "conformance/conformance.hpp"
#include "core/timeline/timeline_slot.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {
namespace {

class SignalFirst : public Timeline {
public:
    SignalFirst() : Timeline(0, 0, GS_TIMELINE_SIGNAL_FIRST) {}
};

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

size_t listed_signals(gs_timeline_t timeline) {
    TimelineSlot &slot = *find_timeline_slot(handle_bits(timeline));
    BriefGuard lock(slot.mutex);
    return slot.signals.size();
}

} // namespace

TEST_P(Conformance, SignalFirst_ASignalAndAWaitAreOneCallEach) {
    Stream signals = make_stream(0), waits = make_stream(0);
    SignalFirst timeline;
    Timeline written;
    warm_up(signals, timeline, 1);
    warm_up(signals, written, 1);
    Gate gate;
    ASSERT_OK(gate.hold(signals));
    EXPECT_EQ(calls_of_signal(signals, written, 2), 2u) << "a write and a record";
    EXPECT_EQ(calls_of_signal(signals, timeline, 2), 1u) << "a record";
    StatsDelta delta;
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 2));
    EXPECT_EQ(delta.driver_calls(), 1u) << "a wait for the record's event";
    EXPECT_FALSE(done(waits.get()));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_EQ(timeline.value(), 2u);
}

TEST_P(Conformance, SignalFirst_AWaitThatComesFirstIsRefused) {
    Stream signals = make_stream(0), waits = make_stream(0);
    SignalFirst timeline;
    Gate gate;
    ASSERT_OK(gate.hold(signals));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_wait_timeline(waits, timeline, 1));
    ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 10));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_wait_timeline(waits, timeline, 11));
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 5)) << "10 reaches it";
    EXPECT_FALSE(done(waits.get()));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits));
    ASSERT_OK(gs_timeline_signal(timeline, 20));
    EXPECT_OK(gs_stream_wait_timeline(waits, timeline, 20)) << "it is reached";
}

TEST_P(Conformance, SignalFirst_AReaderAsksForTheValue) {
    Stream stream = make_stream(0);
    SignalFirst timeline;
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

// Some signals have happened and some have not: the test is the first to ask about any of them.
TEST_P(Conformance, SignalFirst_AValueInTheMiddle) {
    Stream stream = make_stream(0), other = make_stream(0);
    for (const uint64_t happened : {1, 2, 5, 8, 9}) {
        SignalFirst timeline;
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

TEST_P(Conformance, SignalFirst_SignalsOfTwoStreamsByTheirEvents) {
    Stream streams[] = {make_stream(0), make_stream(0)};
    SignalFirst timeline;
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

// No caller looks, so the signals themselves ask now and then: their records must serve again.
TEST_P(Conformance, SignalFirst_RecordsServeAgainThoughNobodyAsks) {
    Stream stream = make_stream(0);
    SignalFirst timeline;
    uint64_t value = 0;
    for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < 50; ++i) ASSERT_OK(gs_stream_signal_timeline(stream, timeline, ++value));
        ASSERT_OK(gs_stream_synchronize(stream));
    }
    EXPECT_LE(listed_signals(timeline), 500u);
    EXPECT_EQ(timeline.value(), value);
    EXPECT_EQ(listed_signals(timeline), 0u);
}

// The signal of one timeline stands behind a wait for another: a stream that waits for its event is part of the circle.
TEST_P(Conformance, SignalFirst_ACircleOfWaits) {
    Stream a = make_stream(0), b = make_stream(0);
    Timeline any;
    SignalFirst timeline;
    ASSERT_OK(gs_stream_wait_timeline(a, any, 1));
    ASSERT_OK(gs_stream_signal_timeline(a, timeline, 1));
    ASSERT_OK(gs_stream_wait_timeline(b, timeline, 1));
    EXPECT_STATUS(GS_ERROR_DEADLOCK, gs_stream_signal_timeline(b, any, 1));
    ASSERT_OK(gs_timeline_signal(any, 1));
    EXPECT_OK(gs_stream_synchronize(b));
    EXPECT_EQ(timeline.value(), 1u);
}

TEST_P(Conformance, SignalFirst_AHostFunctionCannotAsk) {
    Stream stream = make_stream(0);
    SignalFirst timeline;
    const auto read = [](void *raw) {
        uint64_t value = 7;
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_timeline_value(static_cast<gs_timeline_t>(raw), &value));
        EXPECT_EQ(value, 0u);
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_timeline_signal(static_cast<gs_timeline_t>(raw), 4));
    };
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 3));
    ASSERT_OK(gs_stream_launch_host(stream, read, timeline.get()));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(timeline.value(), 3u);
    const auto signal = [](void *raw) { EXPECT_OK(gs_timeline_signal(static_cast<gs_timeline_t>(raw), 5)); };
    ASSERT_OK(gs_stream_launch_host(stream, signal, timeline.get())) << "nothing is left to ask about";
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(timeline.value(), 5u);
}

// The end needs no scanner: all is written before it.
TEST_P(Conformance, SignalFirst_AnEndBeforeItsSignals) {
    for (const bool aborted : {true, false}) {
        Stream signals = make_stream(0), waits = make_stream(0);
        SignalFirst timeline;
        Gate gate;
        ASSERT_OK(gate.hold(signals));
        for (const uint64_t value : {1, 2, 3}) ASSERT_OK(gs_stream_signal_timeline(signals, timeline, value));
        ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 2));
        std::thread reads([&, raw = timeline.get()] {
            uint64_t value = 0;
            while (gs_timeline_value(raw, &value) == GS_OK) EXPECT_LT(value, 4u);
        });
        if (aborted)
            EXPECT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED));
        else
            EXPECT_OK(gs_timeline_destroy(timeline.release()));
        reads.join();
        Timeline next[4];
        EXPECT_FALSE(done(waits.get())) << "the stream goes on with its signal";
        gate.open();
        EXPECT_OK(gs_stream_synchronize(signals));
        EXPECT_OK(gs_stream_synchronize(waits));
        for (const Timeline &one : next) EXPECT_EQ(one.value(), 0u);
    }
}

TEST_P(ConformanceProcess, SignalFirst_AForkLeavesTheParentsSignalsAlone) {
    OWN_PROCESS();
    Stream stream = make_stream(0), waits = make_stream(0);
    SignalFirst timeline;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    for (const uint64_t value : {1, 3}) ASSERT_OK(gs_stream_signal_timeline(stream, timeline, value));
    const pid_t child = fork();
    if (child == 0) {
        uint64_t value = 7;
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_timeline_value(timeline, &value));
        EXPECT_EQ(value, 0u);
        _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 2));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits));
    EXPECT_EQ(timeline.value(), 3u);
}

} // namespace gs::test
