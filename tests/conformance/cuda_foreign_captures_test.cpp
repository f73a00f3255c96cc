// SPDX-License-Identifier: Apache-2.0
// Streams of other code that are wrapped while they are being captured, as a library sees them that is called inside
// torch.cuda.graph.
#include "conformance/conformance.hpp"

#if GPUSTREAM_WITH_CUDA

#include <cudaTypedefs.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/cuda_driver.hpp"
#include "support/foreign_stream.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

constexpr CUstreamCaptureMode kModes[] = {CU_STREAM_CAPTURE_MODE_GLOBAL, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                          CU_STREAM_CAPTURE_MODE_RELAXED};

class RawCapture {
public:
    explicit RawCapture(uintptr_t native, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL)
        : stream_(reinterpret_cast<CUstream>(native)) {
        EXPECT_EQ(driver_symbol<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture_v2")(stream_, mode),
                  CUDA_SUCCESS);
    }
    // How the capture ends.
    CUresult end(CUgraph *out_graph = nullptr) {
        CUgraph graph = nullptr;
        return driver_symbol<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture")(stream_,
                                                                                  out_graph ? out_graph : &graph);
    }

private:
    CUstream stream_;
};

Stream wrap(uintptr_t native, gs_device_t device = 0) {
    gs_stream_t stream = nullptr;
    EXPECT_OK(gs_stream_from_native(device, native, &stream));
    return Stream(stream);
}

} // namespace

// A stream whose raw handle is not known outside joins a capture of other code by waiting: what is deferred on it belongs to
// the graph, at whatever moment.
TEST_P(CudaConformanceProcess, Case18_DeferredInAForeignCaptureBehindTwoWaits) {
    OWN_PROCESS();
    static std::atomic<int> g_ran{0};
    ForeignStream foreign(GS_BACKEND_CUDA, 0);
    Stream first = make_stream(0), second = make_stream(0), beside = make_stream(0);
    Event fork = make_event(), onwards = make_event(), back = make_event();
    const auto count = [](void *) { ++g_ran; };
    RawCapture capture(foreign.native(), CU_STREAM_CAPTURE_MODE_RELAXED);
    Stream captured = wrap(foreign.native());
    ASSERT_OK(gs_event_record(fork, captured));
    ASSERT_OK(gs_stream_wait_event(first, fork));
    ASSERT_OK(gs_event_record(onwards, first));
    ASSERT_OK(gs_stream_wait_event(second, onwards));
    ASSERT_OK(gs_stream_sleep(second, 1000));
    ASSERT_OK(gs_stream_defer(second, count, nullptr));
    ASSERT_OK(gs_event_record(back, second));
    ASSERT_OK(gs_stream_defer(second, count, nullptr)); // after the last submission that could notice
    ASSERT_OK(gs_stream_wait_event(captured, back));
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_notify(second, [](void *, gs_status_t) {}, nullptr));
    CUgraph graph = nullptr;
    ASSERT_EQ(capture.end(&graph), CUDA_SUCCESS);
    ASSERT_OK(gs_stream_sleep(second, 1000));
    ASSERT_OK(gs_stream_synchronize(second));
    ASSERT_OK(gs_trim());
    std::atomic<bool> told{false}; // what the dispatcher had before has run
    ASSERT_OK(gs_stream_notify(
        beside, [](void *flag, gs_status_t) { *static_cast<std::atomic<bool> *>(flag) = true; }, &told));
    while (!told) std::this_thread::yield();
    EXPECT_EQ(g_ran, 0) << "the graph may be launched yet";
    ASSERT_EQ(driver_symbol<PFN_cuGraphDestroy_v10000>("cuGraphDestroy")(graph), CUDA_SUCCESS);
    while (g_ran < 2) std::this_thread::yield();
    EXPECT_EQ(g_ran, 2);
}

// Nothing can mark the end of such a stream's work: its owner may end the stream at any time, and a mark of the whole device would
// break the capture.
TEST_P(CudaConformanceProcess, Case18_DeferredOnAWrapThatEndsInAForeignCapture) {
    OWN_PROCESS();
    static std::atomic<int> g_ran{0};
    ForeignStream foreign(GS_BACKEND_CUDA, 0);
    Gate gate;
    Stream beside = make_stream(0);
    Stream stream = wrap(foreign.native());
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_stream_defer(stream, [](void *) { ++g_ran; }, nullptr));
    RawCapture capture(foreign.native(), CU_STREAM_CAPTURE_MODE_RELAXED);
    stream.reset();
    ASSERT_OK(gs_trim());
    EXPECT_EQ(capture.end(), CUDA_SUCCESS) << "no call has broken it";
    ASSERT_OK(gs_trim());
    std::atomic<bool> told{false}; // what the dispatcher had before has run
    ASSERT_OK(gs_stream_notify(
        beside, [](void *flag, gs_status_t) { *static_cast<std::atomic<bool> *>(flag) = true; }, &told));
    while (!told) std::this_thread::yield();
    EXPECT_EQ(g_ran, 0) << "the work is not done";
    gate.open();
    ASSERT_OK(gs_device_synchronize(0));
    while (g_ran == 0) std::this_thread::yield();
    EXPECT_EQ(g_ran, 1);
}

// The stream stays with the capture. What was deferred before it does not.
TEST_P(CudaConformanceProcess, Case18_DeferredOnAStreamThatStaysWithAForeignCapture) {
    OWN_PROCESS();
    static std::atomic<int> g_ran{0};
    Gate gate;
    Stream beside = make_stream(0);
    Stream stream = make_stream(0);
    const uintptr_t native = native_of(stream);
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(gs_stream_defer(stream, [](void *) { ++g_ran; }, nullptr));
    RawCapture capture(native, CU_STREAM_CAPTURE_MODE_RELAXED);
    stream.reset();
    ASSERT_OK(gs_trim());
    ASSERT_OK(gs_trim());
    EXPECT_EQ(capture.end(), CUDA_SUCCESS) << "no call has broken it";
    ASSERT_OK(gs_trim());
    std::atomic<bool> told{false}; // what the dispatcher had before has run
    ASSERT_OK(gs_stream_notify(
        beside, [](void *flag, gs_status_t) { *static_cast<std::atomic<bool> *>(flag) = true; }, &told));
    while (!told) std::this_thread::yield();
    EXPECT_EQ(g_ran, 0) << "the work is not done";
    gate.open();
    for (int i = 0; i < 2000 && g_ran == 0; ++i) {
        ASSERT_OK(gs_trim());
        usleep(1000);
    }
    EXPECT_EQ(g_ran, 1);
}

// The driver does not say whose it is, so the current context does.
TEST_P(CudaConformanceProcess, Case18_ACapturingForeignStreamIsOfTheCurrentDevice) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    ForeignStream foreign(GS_BACKEND_CUDA, 1);
    ASSERT_OK(gs_set_current_device(1));
    RawCapture capture(foreign.native(), CU_STREAM_CAPTURE_MODE_RELAXED);
    Stream captured = wrap(foreign.native(), GS_DEVICE_NONE);
    gs_device_t device = GS_DEVICE_NONE;
    EXPECT_OK(gs_stream_device(captured, &device));
    EXPECT_EQ(device, 1);
    EXPECT_EQ(capture.end(), CUDA_SUCCESS);
}

TEST_P(CudaConformanceProcess, Case18_ACapturingForeignStreamIsUsable) {
    OWN_PROCESS();
    Bytes bytes(1);
    for (const CUstreamCaptureMode mode : kModes) {
        SCOPED_TRACE(static_cast<int>(mode));
        ForeignStream foreign(GS_BACKEND_CUDA, 0);
        Stream side = make_stream(0);
        Event fork = make_event(), join = make_event();
        RawCapture capture(foreign.native(), mode);
        Stream captured = wrap(foreign.native(), mode == CU_STREAM_CAPTURE_MODE_RELAXED ? GS_DEVICE_NONE : 0);
        EXPECT_EQ(native_of(captured), foreign.native());
        ASSERT_OK(gs_set_current_stream(captured));
        EXPECT_EQ(current_stream(0), captured.get());
        uint64_t scope = 0;
        EXPECT_OK(gs_push_current_stream(captured, &scope));
        EXPECT_OK(gs_pop_current_stream(scope));
        ASSERT_OK(gs_event_record(fork, GS_STREAM_CURRENT));
        ASSERT_OK(gs_event_wait(fork, side));
        bytes.set(side, 0, 9);
        ASSERT_OK(gs_event_record(join, side));
        ASSERT_OK(gs_event_wait(join, captured));
        ASSERT_OK(gs_stream_wait_stream(captured, side));
        bytes.set(captured, 0, 10);
        int32_t value = 0;
        EXPECT_OK(gs_stream_is_capturing(captured, &value));
        EXPECT_EQ(value, 1);
        EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_query(captured, &value));
        uint64_t id = 1;
        EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_driver_id, "captur", captured, &id);
        EXPECT_EQ(id, 0u);
        uintptr_t context = 1;
        EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_context, "captured", captured, &context);
        EXPECT_EQ(context, 0u);
        {
            const StatsDelta stats;
            Stream again = wrap(foreign.native());
            EXPECT_EQ(again.get(), captured.get());
            EXPECT_EQ(stats.driver_calls(), 0u) << "known, whatever its state";
        }
        EXPECT_EQ(capture.end(), CUDA_SUCCESS);
        EXPECT_OK(gs_stream_synchronize(captured));
        EXPECT_TRUE(done(captured.get()));
        EXPECT_OK(gs_stream_driver_id(captured, &id));
        EXPECT_NE(id, 0u);
        uintptr_t ours = 0;
        EXPECT_OK(gs_stream_context(captured, &context));
        EXPECT_OK(gs_stream_context(side, &ours));
        EXPECT_EQ(context, ours);
        ASSERT_OK(gs_set_current_stream(default_stream(0)));
    }
}

TEST_P(CudaConformanceProcess, Case18_WhatWasNotCheckedIsCheckedAfterTheCapture) {
    GS_NEEDS_DEVICES(2);
    OWN_PROCESS();
    Stream used[] = {make_stream(0), make_stream(1)}; // both contexts exist
    ForeignStream foreign(GS_BACKEND_CUDA, 1, true);
    Event event = make_event();
    RawCapture capture(foreign.native());
    Stream right = wrap(foreign.native(), 1);
    EXPECT_EQ(capture.end(), CUDA_SUCCESS);
    uint32_t flags = 0;
    flags = facts_of(right).flags;
    EXPECT_EQ(flags, 0u) << "not known yet";
    EXPECT_OK(gs_event_record(event, right));
    flags = facts_of(right).flags;
    EXPECT_EQ(flags, uint32_t{GS_STREAM_BLOCKING});
    right.reset();

    RawCapture second(foreign.native());
    Stream wrong = wrap(foreign.native(), 0);
    EXPECT_EQ(second.end(), CUDA_SUCCESS);
    int32_t value = 0;
    for (int i = 0; i < 2; ++i)
        EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_stream_query, "during a capture", wrong, &value);
    Event other = make_event();
    EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_event_record(other, wrong));
    uintptr_t context = 1;
    EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_stream_context(wrong, &context));
    wrong.reset();
    right = wrap(foreign.native(), 1);
    EXPECT_TRUE(done(right.get())) << "a wrap that is made now is checked now";
}

// Before it begins a capture, only a stream that others may have put into one is asked.
TEST_P(CudaConformanceProcess, Case18_BeginAsksStreamsThatOthersKnow) {
    OWN_PROCESS();
    Stream own = make_stream(0), known = make_stream(0);
    const uintptr_t native = native_of(known);
    const auto calls_of_begin = [](gs_stream_t stream) {
        const StatsDelta stats;
        EXPECT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        const uint64_t calls = stats.driver_calls();
        gs_graph_t graph = nullptr;
        EXPECT_OK(gs_stream_end_capture(stream, &graph));
        EXPECT_OK(gs_graph_destroy(graph));
        return calls;
    };
    EXPECT_EQ(calls_of_begin(own), 1u);
    EXPECT_EQ(calls_of_begin(known), 2u);
    RawCapture capture(native, CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_begin_capture, "other code", known, GS_CAPTURE_RELAXED);
    EXPECT_EQ(capture.end(), CUDA_SUCCESS);
}

// The adoption's questions would have broken it: the driver's rules that the first test relies on.
TEST_P(CudaConformanceProcess, Case18_TheQuestionsOfAnAdoptionBreakACapture) {
    OWN_PROCESS();
    ForeignStream foreign(GS_BACKEND_CUDA, 0);
    RawCapture capture(foreign.native(), CU_STREAM_CAPTURE_MODE_RELAXED);
    unsigned flags = 0;
    EXPECT_EQ(driver_symbol<PFN_cuStreamGetFlags_v5050>("cuStreamGetFlags")(
                  reinterpret_cast<CUstream>(foreign.native()), &flags),
              CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(capture.end(), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

} // namespace gs::test

#endif
