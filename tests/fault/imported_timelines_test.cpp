// SPDX-License-Identifier: Apache-2.0
// Timelines that are semaphores of another API: the fake driver's, whose other side is fake_cuda_signal_semaphore().
#include <atomic>
#include <thread>
#include <vector>

#include "fault/imported_timelines.hpp"

namespace gs::test {
TEST(ImportedTimelines, EachSideSignalsAndWaits) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    Stream stream = make_stream(0);
    Semaphore semaphore(3);
    Imported timeline(semaphore);
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 5)); // comes first
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 6));
    EXPECT_FALSE(done(stream.get()));
    semaphore.signal(4);
    EXPECT_FALSE(done(stream.get()));
    semaphore.signal(5);
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(semaphore.value(), 6u);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(ImportedTimelines, SignalsOfThisProcessKeepTheirOrder) {
    OWN_PROCESS();
    Stream first = make_stream(0), second = make_stream(0), held = make_stream(0);
    Semaphore semaphore, start;
    Imported timeline(semaphore), begin(start);
    ASSERT_OK(gs_stream_wait_timeline(first, begin, 1));
    ASSERT_OK(gs_stream_signal_timeline(first, timeline, 1));
    ASSERT_OK(gs_stream_signal_timeline(second, timeline, 2)); // waits for the other stream
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_signal_timeline(held, timeline, 2));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_signal_timeline(held, timeline, 1));
    EXPECT_FALSE(done(second.get()));
    fake().reset_calls();
    ASSERT_OK(gs_stream_wait_timeline(second, timeline, 2));
    ASSERT_OK(gs_stream_wait_timeline(second, timeline, 1));
    EXPECT_EQ(fake().calls("cuWaitExternalSemaphoresAsync"), 0u) << "the stream has the order already";
    ASSERT_OK(gs_stream_signal_timeline(second, timeline, 3));
    EXPECT_EQ(fake().calls("cuWaitExternalSemaphoresAsync"), 0u);
    start.signal(1);
    EXPECT_OK(gs_stream_synchronize(second));
    EXPECT_EQ(semaphore.value(), 3u);
}

TEST(ImportedTimelines, WhatAThreadCannotDo) {
    OWN_PROCESS();
    Stream stream = make_stream(0), other = make_stream(1);
    Semaphore semaphore(7);
    Imported timeline(semaphore);
    uint64_t value = 1;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_value(timeline, &value));
    EXPECT_EQ(value, 0u);
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_signal(timeline, 8));
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_synchronize(timeline, 7, 0));
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_stream_signal_timeline(other, timeline, 8)) << "of another device";
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_stream_wait_timeline(other, timeline, 8));
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_signal_timeline(stream, timeline, 8));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_wait_timeline(stream, timeline, 8));
    EXPECT_OK(gs_stream_abort_capture(stream));
    EXPECT_EQ(semaphore.value(), 7u);
}

// Neither releases a stream that waits; the semaphore stays until it has gone on.
TEST(ImportedTimelines, AbortAndDestroy) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Semaphore semaphore;
    Imported timeline(semaphore);
    ASSERT_OK(gs_stream_wait_timeline(stream, timeline, 1));
    ASSERT_OK(gs_timeline_abort(timeline, GS_ERROR_CANCELLED));
    EXPECT_STATUS(GS_ERROR_CANCELLED, gs_stream_wait_timeline(stream, timeline, 1));
    EXPECT_STATUS(GS_ERROR_CANCELLED, gs_stream_signal_timeline(stream, timeline, 1));
    timeline.destroy();
    EXPECT_OK(gs_trim());
    EXPECT_FALSE(done(stream.get()));
    EXPECT_EQ(live_semaphores(), 1u);
    semaphore.signal(1);
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(live_semaphores(), 1u);
    EXPECT_OK(gs_trim());
    EXPECT_EQ(live_semaphores(), 0u);
    EXPECT_EQ(fake().violation_text(), "");
    // The slot serves a timeline of the usual kind.
    Timeline usual(3);
    EXPECT_EQ(usual.value(), 3u);
    EXPECT_OK(gs_stream_signal_timeline(stream, usual, 4));
    EXPECT_OK(gs_timeline_synchronize(usual, 4, -1));
}

// Without a trim: the next timelines of the device give it back.
TEST(ImportedTimelines, ManyOneAfterTheOther) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Semaphore semaphore;
    for (uint64_t i = 1; i <= 100; ++i) {
        Imported timeline(semaphore);
        ASSERT_OK(gs_stream_signal_timeline(stream, timeline, i));
        ASSERT_OK(gs_stream_synchronize(stream));
    }
    EXPECT_LE(live_semaphores(), 2u);
    EXPECT_OK(gs_trim());
    EXPECT_EQ(live_semaphores(), 0u);
    EXPECT_EQ(semaphore.value(), 100u);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(ImportedTimelines, WhatIsNoSemaphore) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    Semaphore semaphore;
    const int fd = semaphore.exported(), file = open("/dev/null", O_RDWR | O_CLOEXEC);
    gs_timeline_t timeline = nullptr;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, file, &timeline));
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_timeline_from_fd(0, GS_FD_D3D12_FENCE, fd, &timeline));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, 0, fd, &timeline));
    EXPECT_STATUS(GS_ERROR_INVALID_DEVICE, gs_timeline_from_fd(9, GS_FD_VULKAN_TIMELINE, fd, &timeline));
    EXPECT_EQ(timeline, nullptr);
    EXPECT_TRUE(is_open(fd) && is_open(file)) << "they are still the caller's";
    EXPECT_EQ(live_semaphores(), 0u);
    close(fd);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_timeline_from_fd(0, GS_FD_VULKAN_TIMELINE, fd, &timeline));
    close(file);
}

// Whatever the order of the threads: what is accepted happens in the order of the values.
TEST(ImportedTimelines, SignalsOfSeveralThreads) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    Semaphore semaphore;
    Imported timeline(semaphore);
    std::atomic<uint64_t> next{0}, accepted{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&] {
            Stream stream = make_stream(0);
            for (int turn = 0; turn < 50; ++turn) {
                const uint64_t value = ++next;
                const gs_status_t status = gs_stream_signal_timeline(stream, timeline, value);
                if (status == GS_OK) {
                    uint64_t largest = accepted;
                    while (largest < value && !accepted.compare_exchange_weak(largest, value)) {}
                } else {
                    EXPECT_EQ(status, GS_ERROR_INVALID_ARGUMENT) << "overtaken by a larger one";
                }
            }
            EXPECT_OK(gs_stream_synchronize(stream));
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(accepted, 200u) << "the largest cannot be refused";
    EXPECT_EQ(semaphore.value(), 200u);
    timeline.destroy();
    EXPECT_OK(gs_trim());
    EXPECT_EQ(live_semaphores(), 0u);
    EXPECT_EQ(fake().violation_text(), "");
}

// The last stream to use it was refused: none of its entries is in the way.
TEST(ImportedTimelines, ALastUserThatIsRefused) {
    OWN_PROCESS();
    Stream stream = make_stream(0), refused = make_stream(0);
    Semaphore semaphore;
    Imported timeline(semaphore);
    ASSERT_OK(gs_stream_signal_timeline(stream, timeline, 5));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_stream_signal_timeline(refused, timeline, 5));
    ASSERT_OK(gs_stream_synchronize(stream));
    timeline.destroy();
    EXPECT_OK(gs_trim());
    EXPECT_EQ(live_semaphores(), 0u);
    EXPECT_EQ(fake().violation_text(), "");
}

} // namespace gs::test
