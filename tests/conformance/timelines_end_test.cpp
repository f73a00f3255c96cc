// SPDX-License-Identifier: Apache-2.0
// How timelines end: aborts, the last reference, deadlocks that are found, forks and broken devices.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <thread>

#include "conformance/conformance.hpp"
#include "support/host_hooks.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {

TEST_P(Conformance, TimelineEnd_AnAbortLetsStreamsAndThreadsGoOn) {
    Stream waits = make_stream(0), stream = make_stream(0);
    Timeline timeline;
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 5));
    std::atomic<bool> began{false};
    std::thread thread([&] {
        began = true;
        EXPECT_STATUS(GS_ERROR_CANCELLED, gs_timeline_synchronize(timeline, 5, -1));
    });
    while (!began) std::this_thread::yield();
    ASSERT_OK(gs_timeline_abort(timeline, GS_ERROR_CANCELLED));
    thread.join();
    EXPECT_OK(gs_stream_synchronize(waits));
    ASSERT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED)) << "the first status stays";
    uint64_t value = 1;
    EXPECT_STATUS(GS_ERROR_CANCELLED, gs_timeline_value(timeline, &value));
    EXPECT_FAILS(GS_ERROR_CANCELLED, gs_timeline_signal, "was aborted with GS_ERROR_CANCELLED", timeline, 9);
    EXPECT_STATUS(GS_ERROR_CANCELLED, gs_timeline_synchronize(timeline, 0, 0));
    EXPECT_STATUS(GS_ERROR_CANCELLED, gs_stream_signal_timeline(stream, timeline, 9));
    EXPECT_STATUS(GS_ERROR_CANCELLED, gs_stream_wait_timeline(stream, timeline, 9));
    EXPECT_OK(gs_timeline_retain(timeline));
    EXPECT_OK(gs_timeline_destroy(timeline));
}

TEST_P(Conformance, TimelineEnd_TheLogWarnsOfStreamsThatStillWait) {
    const auto collect = [](void *lines, int32_t level, const char *text) {
        if (level == GS_LOG_WARNING) *static_cast<std::string *>(lines) += text;
    };
    std::string lines;
    Stream stream = make_stream(0);
    ASSERT_OK(gs_set_log_callback(collect, &lines));
    for (const bool met : {true, false}) {
        Timeline timeline;
        ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 5));
        if (met) ASSERT_OK(gs_timeline_signal(timeline, 5));
        ASSERT_OK(gs_timeline_destroy(timeline.release()));
        EXPECT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(lines.empty(), met) << lines;
    }
    EXPECT_NE(lines.find("destroyed at 0 while a stream waited for 5"), std::string::npos) << lines;
    EXPECT_OK(gs_set_log_callback(nullptr, nullptr));
}

TEST_P(Conformance, TimelineEnd_StatusesThatNoCallCanFailWith) {
    Timeline timeline;
    for (const gs_status_t status :
         {gs_status_t{GS_OK}, gs_status_t{GS_NOT_READY}, gs_status_t{GS_ERROR_TIMEOUT}, -1, 7, 1000})
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_abort(timeline, status)) << status;
    EXPECT_EQ(timeline.value(), 0u);
}

// A signal that was submitted before writes its value afterwards; waits behind it must not hang on that.
TEST_P(Conformance, TimelineEnd_ASignalThatComesAfterTheEndSetsNothingBack) {
    for (const bool aborted : {true, false}) {
        Stream signals = make_stream(0), waits = make_stream(0);
        Timeline timeline;
        Gate gate, later;
        ASSERT_OK(later.hold(waits)); // reaches its wait after the signal was written
        ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 8));
        ASSERT_OK(gate.hold(signals));
        ASSERT_OK(gs_stream_signal_timeline(signals, timeline, 5));
        if (aborted)
            ASSERT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED));
        else
            ASSERT_OK(gs_timeline_destroy(timeline.release()));
        later.open();
        gate.open();
        EXPECT_OK(gs_stream_synchronize(signals));
        EXPECT_OK(gs_stream_synchronize(waits));
    }
}

TEST_P(Conformance, TimelineEnd_TheLastReferenceReleasesWhatWaits) {
    Stream waits = make_stream(0);
    Timeline timeline;
    ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 5));
    std::atomic<bool> began{false};
    const gs_timeline_t raw = timeline.release();
    std::thread thread([&] {
        began = true;
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_timeline_synchronize(raw, 5, -1));
    });
    while (!began) std::this_thread::yield();
    ASSERT_OK(gs_timeline_destroy(raw));
    thread.join();
    EXPECT_OK(gs_stream_synchronize(waits));
}

// The word of a timeline that has ended is not used again while a stream may still look at it.
TEST_P(Conformance, TimelineEnd_AnOldWaitDoesNotSeeTheNextTimeline) {
    Stream waits = make_stream(0);
    Gate gate;
    ASSERT_OK(gate.hold(waits));
    {
        Timeline timeline;
        ASSERT_OK(gs_stream_wait_timeline(waits, timeline, 5));
    }
    Timeline next[4];
    gate.open();
    EXPECT_OK(gs_stream_synchronize(waits));
    for (const Timeline &one : next) EXPECT_EQ(one.value(), 0u);
    ASSERT_OK(gs_trim());
    Timeline again;
    EXPECT_EQ(again.value(), 0u);
}

TEST_P(Conformance, TimelineEnd_ACircleOfWaitsIsNamed) {
    ROWS("W16 W23");
    Stream a = make_stream(0), b = make_stream(0);
    Timeline first, second;
    ASSERT_OK(gs_stream_wait_timeline(a, first, 1));
    ASSERT_OK(gs_stream_signal_timeline(a, second, 1));
    ASSERT_OK(gs_stream_wait_timeline(b, second, 1));
    EXPECT_STATUS(GS_ERROR_DEADLOCK, gs_stream_signal_timeline(b, first, 1));
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gs_last_error(&info));
    const std::string text = info.message;
    char name[32];
    for (gs_stream_t stream : {a.get(), b.get()}) {
        std::snprintf(name, sizeof name, "%#llx", static_cast<unsigned long long>(reinterpret_cast<uintptr_t>(stream)));
        EXPECT_NE(text.find(name), std::string::npos) << text;
    }
    EXPECT_FALSE(done(a.get()));
    EXPECT_OK(gs_timeline_signal(first, 1)) << "nothing was submitted: the host may end it";
    EXPECT_OK(gs_stream_synchronize(a));
    EXPECT_OK(gs_stream_synchronize(b));
}

TEST_P(Conformance, TimelineEnd_AStreamCannotWaitForItself) {
    Stream stream = make_stream(0);
    Timeline timeline;
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 5));
    EXPECT_STATUS(GS_ERROR_DEADLOCK, gs_stream_signal_timeline(stream, timeline, 5));
    EXPECT_STATUS(GS_ERROR_DEADLOCK, gs_stream_signal_timeline(stream, timeline, 4));
    EXPECT_OK(gs_stream_signal_timeline(stream, timeline, 6));
    EXPECT_OK(gs_timeline_signal(timeline, 5));
    EXPECT_OK(gs_timeline_synchronize(timeline, 6, -1));
}

// The wait that an earlier signal of another stream makes necessary closes circles too.
TEST_P(Conformance, TimelineEnd_ACircleThroughTheOrderOfSignals) {
    Stream a = make_stream(0), b = make_stream(0);
    Timeline first, second;
    ASSERT_OK(gs_stream_wait_timeline(a, second, 1));
    ASSERT_OK(gs_stream_signal_timeline(a, first, 1));
    ASSERT_OK(gs_stream_signal_timeline(b, first, 2)); // behind a's
    EXPECT_STATUS(GS_ERROR_DEADLOCK, gs_stream_signal_timeline(b, second, 1));
    EXPECT_OK(gs_timeline_signal(second, 1));
    EXPECT_OK(gs_timeline_synchronize(first, 2, -1));
}

// Not circles: a larger signal whose stream waits for the smaller one.
TEST_P(Conformance, TimelineEnd_ASignalBehindOneThatWaitsForIt) {
    Stream a = make_stream(0), b = make_stream(0);
    Timeline timeline;
    ASSERT_OK(gs_stream_wait_timeline(a, timeline, 5));
    ASSERT_OK(gs_stream_signal_timeline(a, timeline, 6));
    EXPECT_OK(gs_stream_signal_timeline(b, timeline, 5)) << "a's waits for it";
    EXPECT_OK(gs_timeline_synchronize(timeline, 6, -1));
    ASSERT_OK(gs_stream_wait_timeline(a, timeline, 9));
    ASSERT_OK(gs_stream_signal_timeline(b, timeline, 7));
    EXPECT_OK(gs_stream_signal_timeline(a, timeline, 10));
    EXPECT_OK(gs_stream_signal_timeline(b, timeline, 9));
    EXPECT_OK(gs_timeline_synchronize(timeline, 10, -1));
}

// As above, and found by a third stream, which waits for the second signal.
TEST_P(Conformance, TimelineEnd_ACircleThroughASignalBehindAnother) {
    Stream a = make_stream(0), b = make_stream(0), c = make_stream(0);
    Timeline first, second;
    ASSERT_OK(gs_stream_wait_timeline(a, second, 1));
    ASSERT_OK(gs_stream_signal_timeline(a, first, 1));
    ASSERT_OK(gs_stream_signal_timeline(b, first, 2)); // behind a's
    ASSERT_OK(gs_stream_wait_timeline(c, first, 2));
    ASSERT_STATUS(GS_ERROR_DEADLOCK, gs_stream_signal_timeline(c, second, 1));
    EXPECT_OK(gs_timeline_signal(second, 1));
    EXPECT_OK(gs_stream_synchronize(c));
}

// As a larger value cannot come before a smaller one that is submitted, a wait for the larger one needs that signal too.
TEST_P(Conformance, TimelineEnd_ACircleClosedByASmallerSignal) {
    Stream a = make_stream(0), c = make_stream(0);
    Timeline first, second;
    ASSERT_OK(gs_stream_wait_timeline(c, first, 2));
    ASSERT_OK(gs_stream_signal_timeline(c, second, 1));
    ASSERT_OK(gs_stream_wait_timeline(a, second, 1));
    ASSERT_STATUS(GS_ERROR_DEADLOCK, gs_stream_signal_timeline(a, first, 1)) << "2 would have to come before";
    EXPECT_OK(gs_timeline_signal(first, 2)) << "nothing was submitted";
    for (gs_stream_t stream : {a.get(), c.get()}) EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(second.value(), 1u);
}

// The signal that a waits for is submitted, and stuck behind another timeline.
TEST_P(Conformance, TimelineEnd_LetsStreamsGoOnThatWaitForAStuckSignal) {
    for (const bool abort : {true, false}) {
        Stream a = make_stream(0), b = make_stream(0), c = make_stream(0);
        Timeline first, second;
        ASSERT_OK(gs_stream_wait_timeline(c, first, 2));
        ASSERT_OK(gs_stream_signal_timeline(c, second, 1));
        ASSERT_OK(gs_stream_wait_timeline(a, second, 1));
        EXPECT_OK(abort ? gs_timeline_abort(second, GS_ERROR_ABORTED) : gs_timeline_destroy(second.release()));
        EXPECT_OK(gs_stream_synchronize(a)) << "while c still waits";
        ASSERT_OK(gs_stream_signal_timeline(b, first, 2));
        EXPECT_OK(gs_stream_synchronize(c));
    }
}

TEST_P(Conformance, TimelineEnd_WaitsThatAreMetCloseNoCircle) {
    Stream a = make_stream(0), b = make_stream(0);
    Timeline first, second;
    for (uint64_t round = 1; round <= 4; ++round) {
        ASSERT_OK(gs_stream_wait_timeline(a, first, round));
        ASSERT_OK(gs_stream_signal_timeline(a, second, round));
        ASSERT_OK(gs_stream_signal_timeline(b, first, round));
        ASSERT_OK(gs_stream_wait_timeline(b, second, round));
    }
    EXPECT_OK(gs_stream_synchronize(b));
    EXPECT_EQ(second.value(), 4u);
}

TEST_P(ConformanceProcess, TimelineEnd_InAForkedChild) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Timeline timeline;
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
    const pid_t child = fork();
    if (child == 0) {
        uint64_t value = 3;
        gs_timeline_t none = nullptr;
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_timeline_value(timeline, &value));
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_timeline_signal(timeline, 1));
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_timeline_synchronize(timeline, 1, -1));
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_timeline_abort(timeline, GS_ERROR_ABORTED));
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_timeline_retain(timeline));
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_timeline_create(0, 0, 0, &none));
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_stream_signal_timeline(stream, timeline, 1));
        EXPECT_STATUS(GS_ERROR_BAD_FORK, gs_stream_wait_timeline(stream, timeline, 1));
        EXPECT_OK(gs_timeline_destroy(timeline.release()));
        std::fflush(nullptr);
        _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(done(stream.get())) << "the child's destroy does nothing";
    EXPECT_OK(gs_timeline_signal(timeline, 1)) << "the page is still the one that the device knows";
    EXPECT_OK(gs_stream_synchronize(stream));
}

TEST_P(ConformanceProcess, TimelineEnd_ExitWithAStreamThatWaits) {
    OWN_PROCESS();
    const gs_stream_t stream = make_stream(0).release();
    const gs_timeline_t timeline = Timeline().release();
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
}

TEST_P(HostConformanceProcess, TimelineEnd_ABrokenDeviceBetweenWaitAndSignal) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(1);
    Timeline timeline;
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
    std::atomic<bool> began{false};
    std::thread thread([&] {
        began = true;
        EXPECT_STATUS(GS_ERROR_STICKY, gs_timeline_synchronize(timeline, 1, -1));
    });
    while (!began) std::this_thread::yield();
    host::testing::inject_fault(0, 700, "a test");
    thread.join();
    EXPECT_STATUS(GS_ERROR_STICKY, gs_timeline_signal(timeline, 1));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_signal_timeline(stream, timeline, 1));
    EXPECT_STATUS(GS_ERROR_STICKY, gs_stream_synchronize(stream));
    gs_timeline_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_STICKY, gs_timeline_create(0, 0, 0, &none));
    EXPECT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED));
    Timeline next(0, 1);
    ASSERT_OK(gs_stream_signal_timeline(other, next, 1));
    EXPECT_OK(gs_timeline_synchronize(next, 1, -1));
}

} // namespace gs::test
