// SPDX-License-Identifier: Apache-2.0
// Captured host functions run at every launch of their graph, and their records live as long as it.
#include <cstring>
#include <thread>

#include "fault/inject.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

// A graph of the calls made in between, and its launches.
class Capture {
public:
    explicit Capture(gs_stream_t stream) : stream_(reinterpret_cast<CUstream>(native_of(stream))) {
        const auto begin = fake().symbol<PFN_cuStreamBeginCapture_v10010>("cuStreamBeginCapture_v2");
        EXPECT_EQ(begin(stream_, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
    }
    void end() {
        const auto end = fake().symbol<PFN_cuStreamEndCapture_v10000>("cuStreamEndCapture");
        const auto make = fake().symbol<PFN_cuGraphInstantiateWithFlags_v11040>("cuGraphInstantiateWithFlags");
        ASSERT_EQ(end(stream_, &graph_), CUDA_SUCCESS);
        ASSERT_EQ(make(&exec_, graph_, 0), CUDA_SUCCESS);
    }
    void launch() const {
        ASSERT_EQ(fake().symbol<PFN_cuGraphLaunch_v10000>("cuGraphLaunch")(exec_, stream_), CUDA_SUCCESS);
    }
    void destroy_graph() const {
        EXPECT_EQ(fake().symbol<PFN_cuGraphDestroy_v10000>("cuGraphDestroy")(graph_), CUDA_SUCCESS);
    }
    void destroy_exec() const {
        EXPECT_EQ(fake().symbol<PFN_cuGraphExecDestroy_v10000>("cuGraphExecDestroy")(exec_), CUDA_SUCCESS);
    }

private:
    CUstream stream_;
    CUgraph graph_ = nullptr;
    CUgraphExec exec_ = nullptr;
};

// Every captured function runs at every launch, whatever else is given to the stream.
void launch_three_times(const Capture &capture, gs_stream_t stream, const std::deque<Count> &captured,
                        std::deque<Count> &others) {
    for (int round = 1; round <= 3; ++round) {
        launch_many(stream, others, 5);
        capture.launch();
        ASSERT_OK(gs_stream_synchronize(stream));
        expect_all(captured, round);
    }
}

size_t user_objects() { return fake().live(FAKE_CUDA_USER_OBJECT); }

TEST(CapturedCalls, ACapturedFunctionRunsAtEveryLaunch) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    std::deque<Count> captured, others;
    Capture capture(stream);
    launch_many(stream, captured, 3);
    capture.end();
    expect_all(captured, 0);
    for (int round = 1; round <= 3; ++round) {
        launch_many(stream, others, 5);
        capture.launch();
        launch_many(stream, others, 5);
        ASSERT_OK(gs_stream_synchronize(stream));
        expect_all(captured, round);
    }
    expect_all(others, 1);
    EXPECT_EQ(user_objects(), 3u);
    capture.destroy_graph();
    capture.launch();
    ASSERT_OK(gs_stream_synchronize(stream));
    expect_all(captured, 4);
    EXPECT_EQ(user_objects(), 3u) << "the executable graph still has them";

    Gate gate;
    ASSERT_OK(gate.hold(stream));
    capture.launch();
    capture.destroy_exec(); // the launch goes on
    EXPECT_EQ(user_objects(), 3u);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    expect_all(captured, 5);
    while (user_objects() != 0) std::this_thread::yield();
    launch_many(stream, others, 10);
    ASSERT_OK(gs_stream_synchronize(stream));
    expect_all(others, 1);
    expect_all(captured, 5);
    EXPECT_EQ(fake().violation_text(), "");
}

TEST(CapturedCalls, AnAbandonedCaptureReleasesItsFunctions) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    std::deque<Count> captured;
    {
        Capture capture(stream);
        launch_many(stream, captured, 3);
        EXPECT_EQ(user_objects(), 3u);
        capture.end();
        capture.destroy_exec();
        capture.destroy_graph();
    }
    while (user_objects() != 0) std::this_thread::yield();
    launch_many(stream, captured, 0);
    expect_all(captured, 0);
}

// Drivers that cannot tie anything to a graph: the function's record stays for the life of the process.
void run_without(const char *missing) {
    OWN_PROCESS({{"FAKE_CUDA_MISSING", missing}});
    Stream stream = make_stream(0);
    std::deque<Count> captured, others;
    Capture capture(stream);
    launch_many(stream, captured, 3);
    capture.end();
    launch_three_times(capture, stream, captured, others);
    expect_all(others, 1);
    EXPECT_EQ(user_objects(), 0u);
}
TEST(CapturedCalls, WithoutUserObjects) { run_without("cuUserObjectCreate"); }
TEST(CapturedCalls, WithoutGraphsThatRetainObjects) { run_without("cuGraphRetainUserObject"); }
TEST(CapturedCalls, WithoutCaptureInfo) { run_without("cuStreamGetCaptureInfo_v2"); }

TEST(CapturedCalls, AFailedLaunchInACaptureNeverRuns) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Count failed{0};
    std::deque<Count> captured, others;
    Capture capture(stream);
    inject_launch();
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_launch_host(stream, add_one, &failed));
    launch_many(stream, captured, 3);
    capture.end();
    launch_three_times(capture, stream, captured, others);
    EXPECT_EQ(failed, 0);
    expect_all(others, 1);
}

// The launch has succeeded by then, so it is the log that reports the failure.
TEST(CapturedCalls, AFailureToTieTheFunctionToItsGraph) {
    OWN_PROCESS();
    static std::string log;
    ASSERT_OK(gs_set_log_callback([](void *, int32_t, const char *text) { log += text; }, nullptr));
    for (const char *function : {"cuUserObjectCreate", "cuGraphRetainUserObject", kCaptureInfo})
        for (const int phase : {FAKE_CUDA_BEFORE, FAKE_CUDA_AFTER}) {
            SCOPED_TRACE(function);
            log.clear();
            Stream stream = make_stream(0);
            std::deque<Count> captured, others;
            Capture capture(stream);
            inject(function, phase, FAKE_CUDA_TRANSIENT, function == kCaptureInfo ? 2 : 1);
            launch_many(stream, captured, 2);
            capture.end();
            launch_three_times(capture, stream, captured, others);
            expect_all(others, 1);
            const std::string text(function, std::strcspn(function, "_")); // without the number of the form
            EXPECT_NE(log.find(text), std::string::npos) << log;
            EXPECT_EQ(fake().violation_text(), "");
        }
}

// Before the launch, a failed question is the call's failure.
TEST(CapturedCalls, AFailedQuestionLaunchesNothing) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Count failed{0};
    std::deque<Count> captured;
    inject("cuStreamIsCapturing", FAKE_CUDA_AFTER);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_launch_host(stream, add_one, &failed));
    Capture capture(stream);
    inject(kCaptureInfo, FAKE_CUDA_AFTER);
    EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_launch_host(stream, add_one, &failed));
    launch_many(stream, captured, 1);
    capture.end();
    capture.launch();
    ASSERT_OK(gs_stream_synchronize(stream));
    expect_all(captured, 1);
    EXPECT_EQ(failed, 0);
}

TEST(CapturedCalls, ALaunchCostsOneQuestion) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Count count{0};
    fake().start_trace();
    ASSERT_OK(gs_stream_launch_host(stream, add_one, &count));
    EXPECT_EQ(fake().trace_lines(), (std::vector<std::string>{"cuStreamIsCapturing", "cuLaunchHostFunc"}));
    ASSERT_OK(gs_stream_synchronize(stream));
    Capture capture(stream);
    fake().start_trace();
    ASSERT_OK(gs_stream_launch_host(stream, add_one, &count));
    EXPECT_EQ(fake().trace_lines(),
              (std::vector<std::string>{"cuStreamIsCapturing", "cuStreamGetCaptureInfo_v2", "cuLaunchHostFunc",
                                        "cuStreamGetCaptureInfo_v2", "cuUserObjectCreate", "cuGraphRetainUserObject"}));
    gs_stream_t null_stream = nullptr;
    ASSERT_OK(gs_default_stream(0, &null_stream));
    capture.end();
    fake().start_trace();
    ASSERT_OK(gs_stream_launch_host(null_stream, add_one, &count));
    for (const std::string &call : fake().trace_lines())
        EXPECT_NE(call, "cuStreamIsCapturing"); // it cannot be captured
    ASSERT_OK(gs_device_synchronize(0));
    EXPECT_EQ(count, 2);
}

} // namespace
} // namespace gs::test
