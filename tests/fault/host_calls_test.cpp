// SPDX-License-Identifier: Apache-2.0
// Host functions run exactly once or never: also when the driver takes a function and reports a failure nevertheless.
#include "fault/inject.hpp"
#include "support/gate.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

// Works behind a failure as it would without one: each of the functions runs once, the failed one never.
TEST(HostCalls, AFailedLaunchNeverRunsAndHarmsNoOther) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    Count failed{0};
    std::deque<Count> before, after;
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    launch_many(stream, before, 4);
    for (int round = 0; round < 3; ++round) {
        inject_launch();
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_launch_host(stream, add_one, &failed));
        launch_many(stream, after, 4);
    }
    inject_launch(FAKE_CUDA_PERSISTENT);
    for (int i = 0; i < 10; ++i) EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_launch_host(stream, add_one, &failed));
    fake().clear_fault();
    launch_many(stream, after, 8);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    launch_many(stream, after, 40);
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(failed, 0);
    expect_all(before, 1);
    expect_all(after, 1);
}

TEST(HostCalls, AFailedLaunchNeverRunsLater) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    for (int i = 0; i < 200; ++i) {
        Count failed{0}, second{0};
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        inject_launch();
        EXPECT_STATUS(GS_ERROR_DRIVER, gs_stream_launch_host(stream, add_one, &failed));
        ASSERT_OK(gs_stream_launch_host(stream, add_one, &second));
        gate.open();
        ASSERT_OK(gs_stream_synchronize(stream));
        ASSERT_EQ(failed, 0);
        ASSERT_EQ(second, 1);
    }
}

// Nothing holds the stream: the function may begin before its launch reports the failure. Then the launch succeeded.
TEST(HostCalls, AFailureAfterTheFunctionBeganIsNone) {
    OWN_PROCESS();
    Stream stream = make_stream(0);
    for (int i = 0; i < 500; ++i) {
        Count ran{0};
        inject_launch();
        const gs_status_t status = gs_stream_launch_host(stream, add_one, &ran);
        ASSERT_OK(gs_stream_synchronize(stream));
        ASSERT_TRUE(status == GS_OK || status == GS_ERROR_DRIVER) << gs_status_name(status);
        ASSERT_EQ(ran, status == GS_OK ? 1 : 0);
    }
}

} // namespace
} // namespace gs::test
