// SPDX-License-Identifier: Apache-2.0
// Races of programs that order their streams with timelines and words of memory.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>
#include <thread>

#include "checker/pattern.hpp"
#include "support/cuda_driver.hpp"
#include "support/fake_cuda/fake_cuda.h"

namespace gs::check::test {
namespace {

class CheckPatternTimeline : public CheckPattern {
protected:
    void SetUp() override { ASSERT_OK(gs_timeline_create(0, 0, 0, &timeline)); }
    void TearDown() override {
        if (timeline) EXPECT_OK(gs_timeline_destroy(timeline));
    }
    gs_timeline_t timeline = nullptr;
};

TEST_F(CheckPatternTimeline, AWaitComesAfterTheSignalAndWhatWasBeforeIt) {
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_signal_timeline(copy, timeline, 1));
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 1));
    ASSERT_OK(read(compute, "two"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(write(copy, "three")); // behind the signal, and the reader is not waited for
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternTimeline, ASmallerValueIsNotEnough) {
    Checking checking;
    ASSERT_OK(gs_stream_signal_timeline(copy, timeline, 1));
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_signal_timeline(copy, timeline, 2));
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 1));
    ASSERT_OK(read(compute, "two"));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_NE(reports[0].json.find("\"waited_before\":true"), std::string::npos) << reports[0].json;
    ASSERT_OK(gs_stream_wait_timeline(side, timeline, 2));
    ASSERT_OK(read(side, "three"));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPatternTimeline, ALargerSignalComesAfterThoseOfOtherStreams) {
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_signal_timeline(copy, timeline, 1));
    ASSERT_OK(gs_stream_signal_timeline(side, timeline, 2));
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 2));
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 0u);
}

// The consumer's wait is submitted first. Nothing is said about it until the signal is known.
// As waits of a ring's first rounds are: they pass at once, whatever has been signalled.
TEST_F(CheckPatternTimeline, TheFirstValueProvesNoSignal) {
    for (const bool of_host : {false, true}) {
        Checking checking;
        gs_timeline_t begun = nullptr;
        ASSERT_OK(gs_timeline_create(0, 10, 0, &begun));
        ASSERT_OK(write(copy, "one"));
        ASSERT_OK(gs_stream_signal_timeline(copy, begun, 11));
        if (of_host)
            ASSERT_OK(gs_timeline_synchronize(begun, 10, -1));
        else
            ASSERT_OK(gs_stream_wait_timeline(compute, begun, 10));
        ASSERT_OK(write(compute, "two"));
        EXPECT_EQ(checking.count(), 1u) << of_host;
        ASSERT_OK(gs_stream_wait_timeline(compute, begun, 11));
        ASSERT_OK(gs_stream_synchronize(compute));
        ASSERT_OK(gs_timeline_destroy(begun));
    }
}

TEST_F(CheckPatternTimeline, AWaitBeforeItsSignal) {
    Checking checking;
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 5));
    ASSERT_OK(read(compute, "two"));
    ASSERT_OK(gs_event_record(event, compute));
    ASSERT_OK(gs_stream_wait_event(side, event));
    ASSERT_OK(read(side, "three"));
    ASSERT_OK(write(copy, "one"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_stream_signal_timeline(copy, timeline, 5));
    ASSERT_OK(write(compute, "four")); // "one" is ordered before it
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(write(side, "five")); // and before this, but "four" is not
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_device_synchronize(0));
}

TEST_F(CheckPatternTimeline, OfTwoWaitsTheSecondIsMetFirst) {
    gs_timeline_t second = nullptr;
    ASSERT_OK(gs_timeline_create(0, 0, 0, &second));
    Checking checking;
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 1));
    ASSERT_OK(gs_stream_wait_timeline(compute, second, 1));
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_signal_timeline(copy, second, 1));
    ASSERT_OK(write(compute, "two")); // the first wait is open
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_stream_signal_timeline(side, timeline, 1));
    ASSERT_OK(write(compute, "three")); // "one" is ordered before it
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(write(copy, "four"));
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_device_synchronize(0));
    ASSERT_OK(gs_timeline_destroy(second));
}

TEST_F(CheckPatternTimeline, ASignalThatFailsMeetsNoWait) {
    Checking checking;
    ASSERT_OK(gs_stream_signal_timeline(side, timeline, 1));
    ASSERT_OK(write(copy, "one"));
    EXPECT_NE(gs_stream_signal_timeline(copy, timeline, 1), GS_OK);
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 1));
    ASSERT_OK(read(compute, "two"));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternTimeline, ASignalBehindAWaitForASmallerValueDoesNotMeetIt) {
    Checking checking;
    ASSERT_OK(gs_stream_wait_timeline(side, timeline, 1));
    ASSERT_OK(gs_stream_signal_timeline(side, timeline, 2));
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 2));
    ASSERT_OK(read(compute, "two"));
    ASSERT_OK(write(copy, "one"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_stream_signal_timeline(copy, timeline, 1));
    ASSERT_OK(write(compute, "three"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_device_synchronize(0));
}

TEST_F(CheckPatternTimeline, TheHostWaitsAndSignals) {
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_signal_timeline(copy, timeline, 1));
    ASSERT_OK(gs_timeline_synchronize(timeline, 1, -1));
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 0u);
    // Another thread has seen it; what it signals is ordered behind that.
    std::thread([&] {
        EXPECT_OK(gs_stream_synchronize(compute));
        EXPECT_OK(gs_timeline_signal(timeline, 2));
    }).join();
    ASSERT_OK(gs_stream_wait_timeline(side, timeline, 2));
    ASSERT_OK(write(side, "three"));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPatternTimeline, AValueThatWasReadProvesItsSignal) {
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_signal_timeline(copy, timeline, 1));
    ASSERT_OK(gs_stream_synchronize(side)); // proves nothing about copy
    uint64_t value = 0;
    while (value < 1) ASSERT_OK(gs_timeline_value(timeline, &value));
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPatternTimeline, AnAbortEndsWaits) {
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 5));
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_timeline_abort(timeline, GS_ERROR_ABORTED));
    ASSERT_OK(write(compute, "three"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(write(copy, "four"));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternTimeline, TheEndOfATimelineEndsWaits) {
    Checking checking;
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 5));
    ASSERT_OK(gs_timeline_retain(timeline));
    ASSERT_OK(gs_timeline_destroy(timeline)); // one reference is left
    ASSERT_OK(write(compute, "one"));
    ASSERT_OK(write(copy, "two"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_timeline_destroy(std::exchange(timeline, nullptr)));
    ASSERT_OK(write(compute, "three"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(write(copy, "four"));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternTimeline, OldSignalsCountAsOne) {
    Checking checking;
    ASSERT_OK(write(copy, "one"));
    for (uint64_t value = 1; value <= 200; ++value) {
        ASSERT_OK(gs_stream_signal_timeline(copy, timeline, value));
        if (value % 2 == 0) ASSERT_OK(gs_stream_wait_timeline(side, timeline, value));
    }
    ASSERT_OK(gs_stream_wait_timeline(compute, timeline, 1));
    ASSERT_OK(write(compute, "two"));
    EXPECT_EQ(checking.count(), 0u);
}

// Of another API's semaphore no value can be read: the signals of this process order all the same.
TEST_F(CheckPatternTimeline, ASemaphoreOrdersByItsSignals) {
    gs_timeline_t semaphore = nullptr;
    if (std::string_view(std::getenv("GPUSTREAM_BACKEND")) != "cuda") { // the host backend has no semaphores
        const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
        ASSERT_GE(file, 0);
        EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, file, &semaphore));
        EXPECT_EQ(close(file), 0) << "a refused file stays the caller's";
        return;
    }
    const int fd = gs::test::driver_symbol<decltype(&fake_cuda_make_semaphore)>("fake_cuda_make_semaphore")(0);
    ASSERT_OK(gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, fd, &semaphore));
    {
        Checking checking;
        ASSERT_OK(gs_stream_signal_timeline(copy, semaphore, 1));
        ASSERT_OK(write(copy, "one"));
        ASSERT_OK(gs_stream_signal_timeline(copy, semaphore, 2));
        ASSERT_OK(gs_stream_wait_timeline(compute, semaphore, 1));
        ASSERT_OK(read(compute, "two"));
        EXPECT_EQ(checking.count(), 1u);
        ASSERT_OK(gs_stream_wait_timeline(side, semaphore, 2));
        ASSERT_OK(read(side, "three"));
        EXPECT_EQ(checking.count(), 0u);
    }
    EXPECT_OK(gs_device_synchronize(0));
    EXPECT_OK(gs_timeline_destroy(semaphore));
}

// Anything may write the word: accesses behind the wait count again when its thread has seen that it is met.
TEST_F(CheckPatternTimeline, AWaitForAWordIsPassedWhenItsThreadSynchronizes) {
    void *word = nullptr;
    ASSERT_OK(gs_malloc_host(8, &word));
    *static_cast<volatile uint64_t *>(word) = 0;
    Checking checking;
    ASSERT_OK(gs_stream_wait_value(compute, word, 1, GS_VALUE_GEQ));
    ASSERT_OK(read(compute, "two"));
    ASSERT_OK(write(copy, "one"));
    ASSERT_OK(gs_stream_write_value(copy, word, 1, 0));
    ASSERT_OK(gs_stream_synchronize(compute));
    ASSERT_OK(write(compute, "three"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(write(copy, "four"));
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_device_synchronize(0));
    ASSERT_OK(gs_free_host(word));
}

} // namespace
} // namespace gs::check::test
