// SPDX-License-Identifier: Apache-2.0
// Driver calls that take effect and fail: each object is released once, and each answer is right in both cases
// (docs/design/errors.md).
#include <thread>

#include "backend/cuda/driver/driver_table.hpp"
#include "fault/inject.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

void fail_but_do(const char *function) { inject(function, FAKE_CUDA_AFTER); }

TEST(Ambiguous, PinnedMemoryIsFreedOnce) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    void *first = nullptr, *second = nullptr;
    ASSERT_OK(gs_malloc_host(4096, &first));
    fail_but_do("cuMemFreeHost");
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_free_host(first));
    ASSERT_OK(gs_malloc_host(4096, &second)); // may have the same address
    fake().reset_calls();
    if (second != first) EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_host(first));
    EXPECT_EQ(fake().calls("cuMemFreeHost"), 0u);
    EXPECT_OK(gs_free_host(second));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_free_host(second));
    EXPECT_EQ(fake().calls("cuMemFreeHost"), 1u);
}

// The thread's capture mode is read by changing it, so it is the same whether or not the failed change was made.
TEST(Ambiguous, TheCaptureModeIsAsBefore) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    ASSERT_OK(gs_stream_sleep(stream, 1)); // an unused stream is known to be idle
    const auto exchange =
        fake().symbol<PFN_cuThreadExchangeStreamCaptureMode_v10010>("cuThreadExchangeStreamCaptureMode");
    for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
        for (const CUstreamCaptureMode mode : {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL}) {
            // After the effect, the library can no longer find the unusual mode out.
            if (phase == FAKE_CUDA_AFTER && mode != CU_STREAM_CAPTURE_MODE_GLOBAL) continue;
            CUstreamCaptureMode before = mode;
            ASSERT_EQ(exchange(&before), CUDA_SUCCESS);
            inject("cuThreadExchangeStreamCaptureMode", phase);
            int32_t answer = 0;
            EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_query(stream, &answer));
            EXPECT_EQ(fake().capture_mode(), static_cast<int32_t>(mode)) << "phase " << phase;
        }
    }
}

// The event of the failed notification serves the next one, although a record of it may be pending.
TEST(Ambiguous, AFailedNotificationIsNeverDelivered) {
    OWN_PROCESS();
    Stream stream = make_stream(0), busy = make_stream(0);
    std::atomic<int> failed{0}, good{0};
    const auto add_one = [](void *count, gs_status_t) { ++*static_cast<std::atomic<int> *>(count); };
    Gate gate;
    ASSERT_OK(gate.hold(busy));
    for (int i = 0; i < 8; ++i) {
        fail_but_do("cuEventRecord");
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_notify(i % 2 ? busy.get() : stream.get(), add_one, &failed));
        ASSERT_OK(gs_stream_notify(stream, add_one, &good)); // does not wait for the busy stream
        while (good != i + 1) std::this_thread::yield();
    }
    gate.open();
    ASSERT_OK(gs_stream_synchronize(busy));
    ASSERT_OK(gs_stream_notify(busy, add_one, &good));
    while (good != 9) std::this_thread::yield();
    EXPECT_EQ(failed, 0);
}

// What was known of the event is not known any more: the driver is asked, and has the record that failed.
TEST(Ambiguous, AFailedRecordIsNotAnsweredFromMemory) {
    OWN_PROCESS();
    Stream stream = make_stream(0), busy = make_stream(0);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_event_synchronize(event));
    EXPECT_TRUE(done(event.get()));
    Gate gate;
    ASSERT_OK(gate.hold(busy));
    fail_but_do("cuEventRecord");
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_event_record(event, busy));
    EXPECT_FALSE(done(event.get()));
    fake().reset_calls();
    EXPECT_OK(gs_event_wait(event, stream));
    EXPECT_OK(gs_event_wait(event, busy));
    EXPECT_EQ(fake().calls("cuStreamWaitEvent"), 2u);
    EXPECT_FALSE(done(stream.get()));
    gate.open();
    EXPECT_OK(gs_stream_synchronize(stream));
}

// Between its question about the stream and its driver call another thread begins a capture, which is not the failed call's.
gs_stream_t begun_stream = nullptr;
gs_status_t begun_between = GS_OK;
decltype(cuda::g_driver.stream_begin_capture.pfn) driver_begin = nullptr;

CUresult begin_second(CUstream stream, CUstreamCaptureMode mode) {
    cuda::g_driver.stream_begin_capture.pfn = driver_begin;
    std::thread([] { begun_between = gs_stream_begin_capture(begun_stream, GS_CAPTURE_RELAXED); }).join();
    return driver_begin(stream, mode);
}

TEST(Ambiguous, AFailedBeginLeavesTheCaptureOfAnotherThread) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    begun_stream = stream;
    driver_begin = cuda::g_driver.stream_begin_capture.pfn;
    cuda::g_driver.stream_begin_capture.pfn = begin_second;
    const gs_status_t begun = gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED);
    EXPECT_STATUS(GS_ERROR_CAPTURING, begun == GS_OK ? begun_between : begun);
    EXPECT_EQ(begun == GS_OK, begun_between != GS_OK) << "one of the two has begun";
    gs_graph_t graph = nullptr;
    ASSERT_OK(gs_stream_end_capture(stream, &graph));
    EXPECT_OK(gs_graph_destroy(graph));
}

} // namespace
} // namespace gs::test
