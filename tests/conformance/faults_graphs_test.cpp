// SPDX-License-Identifier: Apache-2.0
// A device that breaks between the launch of a graph and its end: each call says so, everything is released once. Hooks of the
// host backend break it; tests/fault has the same on the fake driver.
#include <atomic>
#include <chrono>
#include <thread>

#include "conformance/captures.hpp"
#include "support/host_hooks.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

void count_up(void *arg) { ++*static_cast<std::atomic<int> *>(arg); }

bool becomes(const std::atomic<int> &count, int wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (count != wanted && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return count == wanted;
}

// break_it runs while a launch waits behind a gate; `wanted` is what each call returns from then on.
template <typename Break>
void break_below_a_launch(gs_status_t wanted, Break &&break_it) {
    std::atomic<int> ran{0}, released{0};
    Stream stream = make_stream(0), before = make_stream(0), elsewhere = make_stream(1);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
    ASSERT_OK(gs_stream_launch_host(stream, count_up, &ran));
    Graph graph = end_capture(stream);
    ASSERT_OK(gs_graph_keep(graph, count_up, &released));
    GraphExec exec = instantiate(graph), other = instantiate(graph);
    {
        Gate gate;
        ASSERT_OK(gate.hold(before));
        gate.wait_until_reached(); // a broken device does not begin host functions
        ASSERT_OK(gs_stream_wait_stream(stream, before));
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        exec.reset(); // its launches have not begun
        break_it();
        gate.open();
    }
    EXPECT_STATUS(wanted, gs_stream_synchronize(stream));
    EXPECT_STATUS(wanted, gs_graph_exec_launch(other, stream));
    EXPECT_STATUS(wanted, gs_graph_exec_upload(other, stream));
    gs_graph_exec_t none = nullptr;
    EXPECT_STATUS(wanted, gs_graph_instantiate(graph, 0, &none));
    EXPECT_STATUS(wanted, gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    EXPECT_OK(gs_graph_exec_destroy(other.release()));
    EXPECT_OK(gs_graph_destroy(graph.release()));
    EXPECT_TRUE(becomes(released, 1));
    EXPECT_LE(ran, 2);
    EXPECT_OK(gs_stream_synchronize(elsewhere));
}

} // namespace

TEST_P(HostConformanceProcess, FaultGraph_StickyBetweenLaunchAndCompletion) {
    OWN_PROCESS();
    break_below_a_launch(GS_ERROR_STICKY, [] { host::testing::inject_fault(0, 700, "the test"); });
}

TEST_P(HostConformanceProcess, FaultGraph_LostBetweenLaunchAndCompletion) {
    OWN_PROCESS();
    break_below_a_launch(GS_ERROR_CONTEXT_LOST, [] { host::testing::lose_context(0, "the test's reset"); });
}

// A capture on the device that is lost: it ends without a graph, and what it kept is released.
TEST_P(HostConformanceProcess, FaultGraph_LostInTheMiddleOfACapture) {
    OWN_PROCESS();
    std::atomic<int> ran{0}, released{0};
    Stream stream = make_stream(0), elsewhere = make_stream(1);
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL));
    ASSERT_OK(gs_stream_launch_host(stream, count_up, &ran));
    const gs_graph_t graph = info_of(stream).graph;
    ASSERT_OK(gs_graph_keep(graph, count_up, &released));
    host::testing::lose_context(0, "the test's reset");
    gs_graph_t none = nullptr;
    EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, gs_stream_end_capture(stream, &none));
    EXPECT_EQ(none, nullptr);
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_retain(graph));
    EXPECT_TRUE(becomes(released, 1));
    EXPECT_OK(gs_stream_destroy(stream.release()));
    EXPECT_OK(gs_trim());
    EXPECT_OK(gs_stream_synchronize(elsewhere));
    EXPECT_OK(gs_device_synchronize(1)) << "no capture is left";
    EXPECT_EQ(ran, 0);
}

} // namespace gs::test
