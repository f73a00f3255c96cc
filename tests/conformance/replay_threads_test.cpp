// SPDX-License-Identifier: Apache-2.0
// One executable and several threads, or several devices.
#include <atomic>
#include <thread>
#include <vector>

#include "conformance/captures.hpp"

namespace gs::test {
namespace {

struct Launches {
    std::atomic<int> begun{0}, ended{0};
    std::atomic<bool> inside{false}, overlapped{false};

    static void begin(void *self) {
        auto &launches = *static_cast<Launches *>(self);
        if (launches.inside.exchange(true)) launches.overlapped = true;
        ++launches.begun;
    }
    static void end(void *self) {
        auto &launches = *static_cast<Launches *>(self);
        ++launches.ended;
        launches.inside = false;
    }
};

} // namespace

TEST_P(Conformance, Replay_SeveralThreadsLaunchOneExecutable) {
    constexpr int kThreads = 4, kLaunches = 100;
    Launches launches;
    Stream origin = make_stream(0);
    ASSERT_OK(gs_stream_begin_capture(origin, GS_CAPTURE_THREAD_LOCAL));
    ASSERT_OK(gs_stream_launch_host(origin, Launches::begin, &launches));
    ASSERT_OK(gs_stream_launch_host(origin, Launches::end, &launches));
    GraphExec exec = instantiate(end_capture(origin));
    std::atomic<int> ready{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&] {
            Stream stream = make_stream(0);
            ++ready;
            while (ready < kThreads) std::this_thread::yield();
            for (int i = 0; i < kLaunches; ++i) EXPECT_OK(gs_graph_exec_launch(exec, stream));
            EXPECT_OK(gs_stream_synchronize(stream));
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(launches.begun, kThreads * kLaunches);
    EXPECT_EQ(launches.ended, kThreads * kLaunches);
    EXPECT_FALSE(launches.overlapped) << "launches of one executable never overlap";
}

// The last reference may be given back by a thread that is not the one that launches.
TEST_P(Conformance, Replay_AnExecutableEndsOnAnyThread) {
    Stream stream = make_stream(0);
    Bytes bytes(1);
    for (int round = 0; round < 20; ++round) {
        ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
        bytes.set(stream, 0, round);
        GraphExec exec = instantiate(end_capture(stream));
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        const gs_graph_exec_t raw = exec.release();
        std::thread([&] { EXPECT_OK(gs_graph_exec_destroy(raw)); }).join();
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_exec_launch(raw, stream));
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(bytes[0], round);
    }
}

TEST_P(Conformance, Replay_OnAnotherDeviceIsRefused) {
    GS_NEEDS_DEVICES(2);
    Stream stream = make_stream(0), far = make_stream(1);
    Bytes bytes(1);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
    bytes.set(stream, 0, 1);
    GraphExec exec = instantiate(end_capture(stream));
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_graph_exec_launch, "device 1", exec, far);
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_graph_exec_upload, "device 1", exec, far);
    std::thread([&] { // the way of an executable that several threads use
        EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_graph_exec_launch, "device 1", exec, far);
    })
        .join();
    EXPECT_OK(gs_graph_exec_launch(exec, stream));
    EXPECT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(bytes[0], 1);
}

} // namespace gs::test
