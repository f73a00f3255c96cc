// SPDX-License-Identifier: Apache-2.0
// Captures that other code begins through the driver: the library returns CAPTURING and breaks none of them. For the
// host backend capture_test.cpp does the same with a hook.
#include "conformance/conformance.hpp"

#if GPUSTREAM_WITH_CUDA

#include <thread>
#include <vector>

#include "conformance/driver_captures.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr CUstreamCaptureMode kDriverModes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                                CU_STREAM_CAPTURE_MODE_RELAXED};

bool is_captured(gs_stream_t stream) {
    int32_t value = -1;
    EXPECT_OK(gs_stream_is_capturing(stream, &value));
    return value == 1;
}

// All calls that must be possible on any thread during a capture.
void work_beside(gs_stream_t busy) {
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_query(busy, &number));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_synchronize(busy));
    EXPECT_TRUE(is_captured(busy));
    Stream stream = make_stream(0), dedicated = make_stream(0, GS_STREAM_DEDICATED);
    Event event = make_event(GS_EVENT_TIMING), blocking = make_event(GS_EVENT_BLOCKING);
    Bytes bytes(16);
    bytes.set(stream, 0, 7);
    EXPECT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_event_record(blocking, stream));
    EXPECT_OK(gs_event_wait(event, dedicated));
    EXPECT_OK(gs_event_query(event, &number));
    EXPECT_OK(gs_event_synchronize(blocking));
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_OK(gs_stream_query(stream, &number));
    EXPECT_OK(gs_stream_synchronize(stream));
    double ms = 0;
    EXPECT_OK(gs_event_elapsed_ms(event, event, &ms));
    gs_stream_t wrapped = nullptr;
    EXPECT_OK(gs_stream_from_native(0, native_of(dedicated), &wrapped));
    EXPECT_OK(gs_stream_destroy(wrapped));
    uint64_t scope = 0;
    EXPECT_OK(gs_push_current_stream(stream, &scope));
    EXPECT_OK(gs_pop_current_stream(scope));
    EXPECT_OK(gs_device_check(0));
}

} // namespace

TEST_P(CudaConformanceProcess, Case18_AreLeftAlone) {
    OWN_PROCESS();
    const CapturingDriver driver;
    Stream busy = make_stream(0);
    for (const CUstreamCaptureMode mode : kDriverModes) {
        SCOPED_TRACE(static_cast<int>(mode));
        driver.start(busy, mode);
        work_beside(busy);
        EXPECT_OK(gs_trim());
        std::thread other([&] { work_beside(busy); });
        other.join();
        EXPECT_TRUE(is_captured(busy));
        EXPECT_EQ(driver.finish(busy), CUDA_SUCCESS);
        EXPECT_TRUE(done(busy.get()));
    }
    EXPECT_EQ(driver.mode(), CU_STREAM_CAPTURE_MODE_GLOBAL);
}

// The driver's rules that the test above relies on: without protection a capture does break.
TEST_P(CudaConformanceProcess, Case18_TheDriverBreaksThem) {
    OWN_PROCESS();
    Stream busy = make_stream(0), other = make_stream(0);
    const CapturingDriver driver;
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, other));
    ASSERT_OK(gs_event_synchronize(event));
    uintptr_t native = 0;
    ASSERT_OK(gs_event_native(event, &native));
    const auto raw_event = reinterpret_cast<CUevent>(native);
    driver.start(busy, CU_STREAM_CAPTURE_MODE_GLOBAL);
    EXPECT_EQ(driver.event_query(raw_event), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(driver.finish(busy), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    driver.start(busy, CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_EQ(driver.event_query(raw_event), CUDA_SUCCESS);
    EXPECT_EQ(driver.query(reinterpret_cast<CUstream>(native_of(busy))), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(driver.finish(busy), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    driver.start(busy, CU_STREAM_CAPTURE_MODE_GLOBAL);
    CUresult beside = CUDA_SUCCESS;
    std::thread([&] { beside = driver.event_query(raw_event); }).join();
    EXPECT_EQ(beside, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(driver.finish(busy), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_P(CudaConformanceProcess, Case18_DestroyedWhileCapturedIsNotReused) {
    OWN_PROCESS();
    const CapturingDriver driver;
    const gs_stream_t captured = make_stream(0).release();
    const auto raw = reinterpret_cast<CUstream>(native_of(captured));
    driver.start(captured, CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_OK(gs_stream_destroy(captured));
    std::vector<Stream> streams;
    for (int i = 0; i < 20; ++i) {
        streams.push_back(make_stream(0));
        ASSERT_NE(native_of(streams.back()), reinterpret_cast<uintptr_t>(raw));
    }
    CUgraph graph = nullptr;
    EXPECT_EQ(driver.end(raw, &graph), CUDA_SUCCESS) << "the capture was able to end";
    EXPECT_NE(graph, nullptr);
    for (int i = 0; i < 20; ++i) {
        streams.push_back(make_stream(0));
        ASSERT_NE(native_of(streams.back()), reinterpret_cast<uintptr_t>(raw)) << "the capturing code may continue";
    }
}

// Only the driver knows of the capture: synchronizing its context would break it.
TEST_P(CudaConformanceProcess, Case18_DeviceSynchronizeSparesCapturesWithoutAHandle) {
    OWN_PROCESS();
    const CapturingDriver driver;
    const auto expect_spared = [&](const char *what, uintptr_t raw) {
        SCOPED_TRACE(what);
        EXPECT_FAILS(GS_ERROR_CAPTURING, gs_device_synchronize, "being captured", 0);
        CUgraph graph = nullptr;
        EXPECT_EQ(driver.end(reinterpret_cast<CUstream>(raw), &graph), CUDA_SUCCESS);
        EXPECT_NE(graph, nullptr);
        EXPECT_OK(gs_device_synchronize(0));
    };
    for (const bool found_busy : {false, true}) {
        const gs_stream_t captured = make_stream(0).release();
        const uintptr_t raw = native_of(captured);
        driver.start(captured, CU_STREAM_CAPTURE_MODE_RELAXED);
        EXPECT_OK(gs_stream_destroy(captured));
        std::vector<Stream> streams;
        while (found_busy && streams.size() < 20) streams.push_back(make_stream(0)); // queries it on the way
        expect_spared(found_busy ? "queried whether it can be reused" : "given back", raw);
    }
    std::vector<Stream> shared;
    while (shared.size() < 33) shared.push_back(make_stream(0, GS_STREAM_SHARED));
    const uintptr_t raw = native_of(shared.front());
    driver.start(shared.front(), CU_STREAM_CAPTURE_MODE_RELAXED);
    shared.erase(shared.begin());
    EXPECT_TRUE(is_captured(shared.back()));
    expect_spared("another handle lives", raw);
    ASSERT_EQ(driver.begin(reinterpret_cast<CUstream>(raw), CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    shared.clear();
    expect_spared("no handle lives", raw);
    Stream live = make_stream(0);
    driver.start(live, CU_STREAM_CAPTURE_MODE_RELAXED);
    expect_spared("its own handle lives", native_of(live));
    const gs_stream_t trimmed = make_stream(0).release();
    const uintptr_t kept = native_of(trimmed);
    driver.start(trimmed, CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_OK(gs_stream_destroy(trimmed));
    EXPECT_OK(gs_trim());
    expect_spared("found by gs_trim", kept);
}

TEST_P(CudaConformanceProcess, Case18_ExternalEventsBecomeNodes) {
    OWN_PROCESS();
    const CapturingDriver driver;
    Stream stream = make_stream(0), outside = make_stream(0);
    Event event = make_event(GS_EVENT_EXTERNAL);
    ASSERT_OK(gs_event_record(event, outside)); // outside a capture it is an ordinary event
    ASSERT_OK(gs_event_synchronize(event));
    driver.start(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    EXPECT_OK(gs_event_wait(event, stream)) << "a node, whereas an ordinary event is rejected";
    EXPECT_OK(gs_event_record(event, stream));
    EXPECT_TRUE(is_captured(stream));
    EXPECT_EQ(driver.finish(stream), CUDA_SUCCESS);
    EXPECT_TRUE(done(event.get())) << "recorded when the graph runs, not now";
}

TEST_P(CudaConformanceProcess, Case18_EventsAndForks) {
    OWN_PROCESS();
    Bytes bytes(1);
    const CapturingDriver driver;
    Stream origin = make_stream(0), fork = make_stream(0), outside = make_stream(0);
    Event start = make_event(), join = make_event(), before = make_event();
    ASSERT_OK(gs_stream_sleep(outside, 1000));
    ASSERT_OK(gs_event_record(before, outside));
    // Querying an event of the capture itself cannot be made safe: the driver reports it only by breaking the capture.
    int32_t number = 0;
    driver.start(origin, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    ASSERT_OK(gs_event_record(start, origin));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_event_query(start, &number));
    EXPECT_EQ(driver.finish(origin), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    driver.start(origin, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    ASSERT_OK(gs_event_record(start, origin));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_event_synchronize(start));
    EXPECT_EQ(driver.finish(origin), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    driver.start(origin, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    ASSERT_OK(gs_event_record(start, origin));
    ASSERT_OK(gs_event_wait(start, fork));
    EXPECT_TRUE(is_captured(fork));
    ASSERT_OK(gs_event_record(join, fork));
    ASSERT_OK(gs_event_wait(join, origin));
    EXPECT_EQ(driver.finish(origin), CUDA_SUCCESS);
    EXPECT_FALSE(is_captured(fork));

    driver.start(origin, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    ASSERT_OK(gs_event_record(start, origin));
    ASSERT_OK(gs_event_wait(start, fork));
    EXPECT_EQ(driver.finish(fork), CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
    EXPECT_EQ(driver.finish(origin), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    driver.start(origin, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    ASSERT_OK(gs_event_record(start, origin));
    ASSERT_OK(gs_event_wait(start, fork));
    EXPECT_EQ(driver.finish(origin), CUDA_SUCCESS) << "a fork without work needs no join";
    driver.start(origin, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    ASSERT_OK(gs_event_record(start, origin));
    ASSERT_OK(gs_event_wait(start, fork));
    bytes.set(fork, 0, 1);
    EXPECT_EQ(driver.finish(origin), CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
    CUresult elsewhere = CUDA_SUCCESS;
    driver.start(origin, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    std::thread([&] { elsewhere = driver.finish(origin); }).join();
    EXPECT_EQ(elsewhere, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
    EXPECT_EQ(driver.finish(origin), CUDA_ERROR_ILLEGAL_STATE) << "the wrong thread has ended it";
    EXPECT_OK(gs_event_record(start, origin)) << "usable again";
    EXPECT_OK(gs_event_synchronize(start));
}

TEST_P(CudaConformanceProcess, Case18_IsolationMergeAndDefaultStream) {
    OWN_PROCESS();
    const CapturingDriver driver;
    Stream one = make_stream(0), two = make_stream(0), blocking = make_stream(0, GS_STREAM_BLOCKING),
           held = make_stream(0);
    Event event = make_event(), outside = make_event();
    ASSERT_OK(gs_stream_sleep(held, 2'000'000'000));
    ASSERT_OK(gs_event_record(outside, held));
    driver.start(one, CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_event_wait, "cuStreamWaitEvent", outside, one);
    EXPECT_EQ(last_error().native_code, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
    EXPECT_EQ(driver.finish(one), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    driver.start(one, CU_STREAM_CAPTURE_MODE_RELAXED);
    driver.start(two, CU_STREAM_CAPTURE_MODE_RELAXED);
    ASSERT_OK(gs_event_record(event, one));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_event_wait(event, two));
    EXPECT_EQ(last_error().native_code, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    EXPECT_EQ(driver.finish(one), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    EXPECT_EQ(driver.finish(two), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

    driver.start(blocking, CU_STREAM_CAPTURE_MODE_RELAXED);
    int32_t number = 0;
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_query(default_stream(0), &number));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_synchronize(default_stream(0)));
    EXPECT_EQ(driver.finish(blocking), CUDA_SUCCESS) << "the query left it intact";
    driver.start(blocking, CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_event_record(event, default_stream(0)));
    EXPECT_EQ(last_error().native_code, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
    EXPECT_EQ(driver.finish(blocking), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

// Threads of PyTorch and other libraries may have changed their mode; every call restores it.
TEST_P(CudaConformanceProcess, Case18_TheThreadsModeIsKept) {
    OWN_PROCESS();
    ASSERT_OK(gs_init());
    const CapturingDriver driver;
    for (CUstreamCaptureMode mode : kDriverModes) {
        const CUstreamCaptureMode wanted = mode;
        ASSERT_EQ(driver.exchange(&mode), CUDA_SUCCESS);
        Stream stream = make_stream(0);
        Event event = make_event();
        EXPECT_OK(gs_event_record(event, stream));
        EXPECT_OK(gs_event_synchronize(event));
        EXPECT_TRUE(done(stream.get()));
        EXPECT_OK(gs_trim());
        EXPECT_EQ(driver.mode(), wanted);
    }
}

} // namespace gs::test

#endif
