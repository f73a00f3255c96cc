// SPDX-License-Identifier: Apache-2.0
// Calls beside a capture of which the driver conceals the number and the graph: none takes it for a capture of other code.
#include "conformance/captures.hpp"
#include "conformance/kernels.hpp"
#include "fault/inject.hpp"
#include "support/foreign_event.hpp"
#include "support/gate.hpp"
#include "support/launches.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

// Makes the first, second, ... question about a capture fail, until the call asks no further one. Each is reported, and the
// capture goes on. Nothing has asked about it before.
template <typename Call>
void expect_failed_questions(gs_stream_t captured, gs_status_t answer, Call &&call) {
    uint64_t nth = 1;
    for (bool failed = true; failed; ++nth) {
        inject(kCaptureInfo, FAKE_CUDA_BEFORE, FAKE_CUDA_TRANSIENT, nth);
        const gs_status_t status = call();
        failed = fake().injected(nullptr, 0) != 0;
        fake().clear_fault();
        EXPECT_STATUS(failed ? GS_ERROR_DRIVER : answer, status) << "question " << nth;
    }
    EXPECT_GT(nth, 3u) << "that about the stream, and that about the capture";
    EXPECT_EQ(capture_state(captured), GS_CAPTURE_STATE_ACTIVE);
}

// The stream joins the capture by other code's calls, of which the library knows nothing.
void join_unseen(gs_stream_t stream, gs_stream_t captured, const ForeignEvent &event) {
    const auto native = reinterpret_cast<CUevent>(event.native());
    const auto record = fake().symbol<PFN_cuEventRecord_v2000>("cuEventRecord");
    const auto wait = fake().symbol<PFN_cuStreamWaitEvent_v3020>("cuStreamWaitEvent");
    ASSERT_EQ(record(native, reinterpret_cast<CUstream>(native_of(captured))), CUDA_SUCCESS);
    ASSERT_EQ(wait(reinterpret_cast<CUstream>(native_of(stream)), native, 0), CUDA_SUCCESS);
}

TEST(CaptureAnswers, AWaitForWorkOutsideIsRefused) {
    OWN_PROCESS();
    Stream stream = make_stream(0), busy = make_stream(0);
    Event event = make_event();
    Gate gate;
    ASSERT_OK(gate.hold(busy));
    ASSERT_OK(gs_event_record(event, busy));
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    expect_failed_questions(stream, GS_ERROR_CAPTURING, [&] { return gs_event_wait(event, stream); });
    EXPECT_NE(end_capture(stream).get(), nullptr);
    gate.open();
}

TEST(CaptureAnswers, AKernelOfAStreamThatJoinedIsKept) {
    OWN_PROCESS();
    Stream stream = make_stream(0), side = make_stream(0);
    ForeignEvent event(GS_BACKEND_CUDA);
    const gs_launch_config_t one = launch_of(1, 1);
    uint32_t counter = 0, *word = &counter;
    void *arguments[] = {&word};
    gs_module_t module = nullptr;
    gs_kernel_t kernel = nullptr;
    ASSERT_OK(gs_module_load(0, kPtx, sizeof kPtx, &module));
    ASSERT_OK(gs_module_get_kernel(module, "add_one", &kernel));
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    join_unseen(side, stream, event);
    expect_failed_questions(stream, GS_OK, [&] { return gs_kernel_launch(kernel, &one, arguments, side); });
    join_unseen(stream, side, event);
    Graph graph = end_capture(stream);
    ASSERT_OK(gs_module_destroy(module));
    ASSERT_OK(gs_trim());
    GraphExec exec = instantiate(graph);
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(counter, 1u);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(CaptureAnswers, WhoBeganItIsNotGuessed) {
    OWN_PROCESS();
    Stream stream = make_stream(0), side = make_stream(0);
    ForeignEvent event(GS_BACKEND_CUDA);
    gs_capture_info_t info{};
    info.struct_size = sizeof info;
    gs_graph_t graph = nullptr;
    const auto ask = [&] { return gs_stream_capture_info(side, &info); };
    const auto begin = [&] { return gs_stream_begin_capture(side, GS_CAPTURE_RELAXED); };
    const auto end = [&] { return gs_stream_end_capture(side, &graph); };
    const auto abort = [&] { return gs_stream_abort_capture(side); };
    const auto beside = [&](gs_status_t answer, auto &&call) {
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
        join_unseen(side, stream, event);
        expect_failed_questions(stream, answer, call);
        ASSERT_OK(gs_stream_abort_capture(stream));
    };
    beside(GS_OK, ask);
    EXPECT_EQ(info.origin, stream.get());
    beside(GS_ERROR_CAPTURING, begin);
    beside(GS_ERROR_CAPTURING, end);
    beside(GS_ERROR_CAPTURING, abort);
}

// Only the capture that was asked for counts.
TEST(CaptureAnswers, AnotherCaptureMayBeUnknown) {
    OWN_PROCESS();
    Stream other = make_stream(0), stream = make_stream(0), side = make_stream(0);
    ForeignEvent event(GS_BACKEND_CUDA);
    gs_capture_info_t info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gs_stream_begin_capture(other, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    join_unseen(side, stream, event);
    inject(kCaptureInfo, FAKE_CUDA_BEFORE, FAKE_CUDA_TRANSIENT, 2); // about the other one
    EXPECT_OK(gs_stream_capture_info(side, &info));
    EXPECT_EQ(fake().injected(nullptr, 0), 1u);
    EXPECT_EQ(info.origin, stream.get());
    EXPECT_OK(gs_stream_abort_capture(stream));
    EXPECT_OK(gs_stream_abort_capture(other));
}

// The driver has no number for it any more.
TEST(CaptureAnswers, ABrokenCaptureIsNotThatOfOtherCode) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    const auto query = fake().symbol<PFN_cuStreamQuery_v2000>("cuStreamQuery");
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    ASSERT_EQ(query(reinterpret_cast<CUstream>(native_of(stream))), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_INVALIDATED);
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    const std::string text = last_error().message;
    EXPECT_NE(text.find("began on stream"), std::string::npos) << text;
    EXPECT_OK(gs_stream_abort_capture(stream));
}

// A capture that was lost with its device is none that a stream of another device can be part of.
// The event's last record lies behind the capture, and a stream has it.
TEST(CaptureAnswers, AFailureAfterTheNextRecordIsNoCapturesFault) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Event event = make_event();
    int32_t value = 0;
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    ASSERT_OK(gs_event_record(event, stream));
    end_capture(stream).reset();
    ASSERT_OK(gs_event_record(event, stream));
    inject("cuEventQuery", FAKE_CUDA_BEFORE);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_event_query(event, &value));
    EXPECT_OK(gs_event_query(event, &value));
}

TEST(CaptureAnswers, ALostCaptureIsNotAsked) {
    OWN_PROCESS();
    Stream lost = make_stream(1), stream = make_stream(0);
    const auto begin = fake().symbol<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture_v2");
    const auto end = fake().symbol<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture");
    ASSERT_OK(gs_stream_begin_capture(lost, GS_CAPTURE_RELAXED));
    fake().break_device(1, CUDA_ERROR_ILLEGAL_ADDRESS);
    const auto native = reinterpret_cast<CUstream>(native_of(stream));
    ASSERT_EQ(begin(native, CU_STREAM_CAPTURE_MODE_RELAXED), CUDA_SUCCESS);
    EXPECT_EQ(info_of(stream).mode, -1) << "other code's";
    CUgraph graph = nullptr;
    ASSERT_EQ(end(native, &graph), CUDA_SUCCESS);
}

} // namespace
} // namespace gs::test
