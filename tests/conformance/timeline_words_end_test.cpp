// SPDX-License-Identifier: Apache-2.0
// Timelines whose word no stream has needed yet: host functions, ends and forks.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "conformance/conformance.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {

// No driver may be called there, and the signal before is known by its event only.
TEST_P(Conformance, TimelineWord_AHostFunctionReadsAndSignals) {
    Stream stream = make_stream(0);
    struct Shared {
        Timeline timeline;
        uint64_t seen = 0;
    } shared;
    ASSERT_OK(gs_stream_signal_timeline(stream, shared.timeline, 3));
    ASSERT_OK(gs_stream_launch_host(
        stream,
        [](void *raw) {
            auto &both = *static_cast<Shared *>(raw);
            EXPECT_OK(gs_timeline_value(both.timeline, &both.seen));
            EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_signal(both.timeline, 3));
            EXPECT_OK(gs_timeline_signal(both.timeline, 4));
        },
        &shared));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(shared.seen, 3u);
    EXPECT_EQ(shared.timeline.value(), 4u);
}

// As above; signals that are still to come do not count.
TEST_P(Conformance, TimelineWord_AHostFunctionBetweenSignals) {
    Stream stream = make_stream(0);
    struct Shared {
        Timeline timeline;
        uint64_t seen = 0;
    } shared;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    for (const uint64_t value : {1, 2}) ASSERT_OK(gs_stream_signal_timeline(stream, shared.timeline, value));
    ASSERT_OK(gs_stream_launch_host(
        stream,
        [](void *raw) {
            auto &both = *static_cast<Shared *>(raw);
            EXPECT_OK(gs_timeline_value(both.timeline, &both.seen));
        },
        &shared));
    for (const uint64_t value : {3, 4}) ASSERT_OK(gs_stream_signal_timeline(stream, shared.timeline, value));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(shared.seen, 2u);
    EXPECT_EQ(shared.timeline.value(), 4u);
}

TEST_P(Conformance, TimelineWord_AnEndBeforeSignalsThatAreNotWritten) {
    for (const bool aborted : {true, false}) {
        Stream signals = make_stream(0), waits = make_stream(0);
        Timeline timeline;
        Gate gate;
        ASSERT_OK(gate.hold(signals));
        for (const uint64_t value : {1, 2, 3}) ASSERT_OK(gs_stream_signal_timeline(signals, timeline, value));
        ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 2));
        if (aborted)
            ASSERT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED));
        else
            ASSERT_OK(gs_timeline_destroy(timeline.release()));
        Timeline next[4];
        gate.open();
        EXPECT_OK(gs_stream_synchronize(signals));
        EXPECT_OK(gs_stream_synchronize(waits));
        for (const Timeline &one : next) EXPECT_EQ(one.value(), 0u);
    }
}

// The scanner asks about the signals for a stream that waits first, and the timeline ends before they happen.
TEST_P(Conformance, TimelineWord_AnEndWhileTheScannerAsks) {
    for (const bool aborted : {true, false}) {
        Stream signals = make_stream(0), waits = make_stream(0);
        Timeline timeline;
        Gate gate;
        ASSERT_OK(gate.hold(signals));
        for (const uint64_t value : {1, 2, 4}) ASSERT_OK(gs_stream_signal_timeline(signals, timeline, value));
        ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 3));
        std::thread reads([&, raw = timeline.get()] {
            uint64_t value = 0;
            while (gs_timeline_value(raw, &value) == GS_OK) EXPECT_LT(value, 5u);
        });
        if (aborted)
            EXPECT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED));
        else
            EXPECT_OK(gs_timeline_destroy(timeline.release()));
        EXPECT_OK(gs_stream_synchronize(waits)) << "while the signals are held";
        reads.join();
        gate.open();
        EXPECT_OK(gs_stream_synchronize(signals));
    }
}

TEST_P(ConformanceProcess, TimelineWord_AForkLeavesTheParentsSignalsAlone) {
    OWN_PROCESS();
    Stream stream = make_stream(0), waits = make_stream(0);
    Timeline timeline;
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
