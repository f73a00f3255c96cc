// SPDX-License-Identifier: Apache-2.0
// Captures that other code begins on the library's streams: what can be asked, what is refused, and that only that code ends
// them.
#include "conformance/conformance.hpp"

#if GPUSTREAM_WITH_CUDA

#include "conformance/captures.hpp"
#include "conformance/driver_captures.hpp"
#include "conformance/kernels.hpp"
#include "support/launches.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

class OtherCapture {
public:
    explicit OtherCapture(gs_stream_t stream) : stream_(stream) {
        driver_.start(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    }
    CUresult end() const {
        CUgraph graph = nullptr;
        const CUresult result = driver_.end(reinterpret_cast<CUstream>(native_of(stream_)), &graph);
        if (graph) EXPECT_EQ(driver_symbol<PFN_cuGraphDestroy_v10000>("cuGraphDestroy")(graph), CUDA_SUCCESS);
        return result;
    }

private:
    CapturingDriver driver_;
    gs_stream_t stream_;
};

} // namespace

TEST_P(CudaConformanceProcess, Case18_WhatIsKnownOfOtherCodesCapture) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    const OtherCapture capture(stream);
    const gs_capture_info_t info = info_of(stream);
    EXPECT_EQ(info.state, GS_CAPTURE_STATE_ACTIVE);
    EXPECT_NE(info.id, 0u);
    EXPECT_EQ(info.mode, -1);
    EXPECT_EQ(info.graph, nullptr);
    EXPECT_EQ(info.origin, nullptr);
    gs_node_t node = 0;
    size_t count = 0;
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_stream_capture_nodes, "begun by other code", stream, &node, 1, &count);
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_stream_set_capture_nodes, "begun by other code", stream, &node, 0, 1);
    EXPECT_EQ(count, 0u);
    EXPECT_EQ(capture.end(), CUDA_SUCCESS);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_NONE);
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_stream_capture_nodes, "not being captured", stream, &node, 1, &count);
}

TEST_P(CudaConformanceProcess, Case18_OnlyOtherCodeEndsItsCapture) {
    OWN_PROCESS();
    Stream stream = make_stream(0), side = make_stream(0);
    Graph into = make_graph(0);
    const OtherCapture capture(stream);
    gs_graph_t graph = nullptr;
    gs_philox_t philox{};
    philox.struct_size = sizeof philox;
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_end_capture, "begun by other code", stream, &graph);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_abort_capture, "begun by other code", stream);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_begin_capture, "by other code", stream, GS_CAPTURE_RELAXED);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_begin_capture_to, "by other code", stream, into, nullptr, 0,
                 GS_CAPTURE_RELAXED);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_rng_reserve, "other code", stream, 4, &philox);
    EXPECT_EQ(graph, nullptr);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE) << "none of it breaks the capture";
    // A stream joins it and comes back, by the library's calls.
    EXPECT_OK(gs_stream_wait_stream(side, stream));
    EXPECT_EQ(info_of(side).id, info_of(stream).id);
    EXPECT_OK(gs_stream_sleep(side, 10));
    EXPECT_OK(gs_stream_wait_stream(stream, side));
    EXPECT_EQ(capture.end(), CUDA_SUCCESS);
    EXPECT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED)) << "one of the library's own";
    EXPECT_OK(gs_stream_abort_capture(stream));
}

// A capture that other code has ended leaves no trace when its stream begins the next one.
TEST_P(CudaConformanceProcess, Case18_OtherCodeEndsACaptureOfTheLibrary) {
    OWN_PROCESS();
    const CapturingDriver driver;
    for (const bool known : {false, true}) {
        SCOPED_TRACE(known ? "its graph has a handle" : "its graph has none");
        Stream stream = make_stream(0, GS_STREAM_BLOCKING);
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        const gs_graph_t graph = known ? info_of(stream).graph : nullptr;
        ASSERT_EQ(driver.finish(stream), CUDA_SUCCESS);
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        gs_graph_summary_t summary{};
        summary.struct_size = sizeof summary;
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_info(graph, &summary));
        end_capture(stream).reset();
        EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_abort_capture(stream));
        EXPECT_OK(gs_device_synchronize(0));
        EXPECT_OK(gs_stream_synchronize(default_stream(0)));
    }
}

// Nor does it keep refusing what would break it: the driver is asked before the refusal.
TEST_P(CudaConformanceProcess, Case18_ACaptureThatOtherCodeHasEndedRefusesNothing) {
    OWN_PROCESS();
    const CapturingDriver driver;
    for (const bool known : {false, true})
        for (const bool device_first : {false, true}) {
            SCOPED_TRACE(known ? "its graph has a handle" : "its graph has none");
            SCOPED_TRACE(device_first ? "the device first" : "the default stream first");
            Stream stream = make_stream(0, GS_STREAM_BLOCKING), other = make_stream(0);
            ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
            const gs_graph_t graph = known ? info_of(stream).graph : nullptr;
            EXPECT_STATUS(GS_ERROR_CAPTURING, gs_device_synchronize(0));
            EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_synchronize(default_stream(0)));
            ASSERT_OK(gs_stream_begin_capture(other, GS_CAPTURE_RELAXED));
            ASSERT_EQ(driver.finish(stream), CUDA_SUCCESS);
            if (device_first) EXPECT_STATUS(GS_ERROR_CAPTURING, gs_device_synchronize(0)) << "the other one goes on";
            EXPECT_OK(gs_stream_synchronize(default_stream(0)));
            EXPECT_EQ(capture_state(other), GS_CAPTURE_STATE_ACTIVE);
            end_capture(other).reset();
            EXPECT_OK(gs_device_synchronize(0));
            gs_graph_summary_t summary{};
            summary.struct_size = sizeof summary;
            EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_info(graph, &summary));
            EXPECT_STATUS(GS_ERROR_NOT_PERMITTED, gs_stream_abort_capture(stream));
        }
}

// A kernel is launched: its module belongs to no graph of the library, and is there for the launches of that code.
TEST_P(CudaConformanceProcess, Case18_WorkInOtherCodesCapture) {
    OWN_PROCESS();
    Bytes bytes(4);
    Stream stream = make_stream(0);
    gs_module_t loaded = nullptr;
    gs_kernel_t kernel = nullptr;
    ASSERT_OK(gs_module_load(0, kPtx, sizeof kPtx, &loaded));
    const Module module(loaded);
    ASSERT_OK(gs_module_get_kernel(module, "add_one", &kernel));
    unsigned char *counter = bytes.at(0);
    void *arguments[] = {&counter};
    const gs_launch_config_t one = launch_of(1, 1);
    Event event = make_event(), external = make_event(GS_EVENT_EXTERNAL);
    const OtherCapture capture(stream);
    EXPECT_OK(gs_kernel_launch(kernel, &one, arguments, stream));
    EXPECT_OK(gs_stream_launch_host(stream, [](void *) {}, nullptr));
    EXPECT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_event_record(external, stream));
    EXPECT_OK(gs_event_wait(event, stream));
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE);
    EXPECT_EQ(capture.end(), CUDA_SUCCESS);
    EXPECT_OK(gs_event_record(event, stream));
    EXPECT_OK(gs_event_synchronize(event));
    EXPECT_EQ(bytes[0], 0u) << "its graph was never launched";
}

// A stream that is destroyed in the middle of other code's capture is not given to the next owner while it lasts.
TEST_P(CudaConformanceProcess, Case18_AStreamThatIsDestroyedInOtherCodesCapture) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    const uintptr_t native = native_of(stream);
    const CapturingDriver driver;
    driver.start(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
    stream.reset();
    for (int i = 0; i < 4; ++i) {
        Stream next = make_stream(0);
        EXPECT_EQ(capture_state(next), GS_CAPTURE_STATE_NONE);
        EXPECT_OK(gs_stream_sleep(next, 10));
        EXPECT_OK(gs_stream_synchronize(next));
    }
    CUgraph graph = nullptr;
    EXPECT_EQ(driver.end(reinterpret_cast<CUstream>(native), &graph), CUDA_SUCCESS);
    EXPECT_OK(gs_trim());
}

} // namespace gs::test

#endif
