// SPDX-License-Identifier: Apache-2.0
// Attributes of launches.
#include <cstddef>

#include "conformance/launch_pair.hpp"
#include "support/stats_delta.hpp"

namespace gs::test {
TEST_P(Conformance, RowWork_AProgrammaticLaunchMayStartEarly) {
    GS_NEEDS_ATTRIBUTES();
    Pair pair(GetParam(), on_gpu() ? kShort : kLong);
    Stream stream = make_stream();
    for (int i = 0; i < 3; ++i) {
        for (const size_t word : {kFlag, kOut, kSeen}) pair.words.set(word, 0);
        Gate gate;
        ASSERT_OK(gate.hold(stream));
        ASSERT_OK(pair.first(stream));
        ASSERT_OK(pair.second(stream));
        Bytes after(1);
        after.set(stream, 0, 7); // behind both
        gate.open();
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(after[0], 7);
        EXPECT_EQ(pair.words[kSeen], pair.words[kOut]) << "the second waits for what the first writes";
        if (!on_gpu()) EXPECT_EQ(pair.words[kOut], 1u) << "the second started while the first ran";
    }
}

TEST_P(Conformance, RowWork_LaunchesWithoutTheFlagStartInOrder) {
    GS_NEEDS_ATTRIBUTES();
    Pair pair(GetParam(), kShort);
    Stream stream = make_stream();
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(pair.first(stream));
    ASSERT_OK(pair.second(stream, 0));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(pair.words[kOut], 2u) << "the flag was set while the first ran";
    EXPECT_EQ(pair.words[kSeen], 2u);
}

// The kernel ahead ends first if there is none, or something else stands between.
TEST_P(Conformance, RowWork_AProgrammaticLaunchBehindOtherWorkStartsInOrder) {
    GS_NEEDS_ATTRIBUTES();
    Pair pair(GetParam(), kShort);
    Stream stream = make_stream();
    Bytes byte(1);
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(pair.first(stream));
    byte.set(stream, 0, 1);
    ASSERT_OK(pair.second(stream));
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(pair.words[kOut], 2u);
    EXPECT_EQ(pair.words[kSeen], 2u);
}

TEST_P(Conformance, RowWork_AProgrammaticEventProvesNoEnd) {
    GS_NEEDS_ATTRIBUTES();
    Pair pair(GetParam(), on_gpu() ? kShort : kLong);
    Stream stream = make_stream(), other = make_stream();
    Event event = make_event();
    Bytes copied(1);
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_event_synchronize(event)); // known to be complete
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    ASSERT_OK(pair.first(stream, event));
    EXPECT_FALSE(done(event));
    ASSERT_OK(gs_stream_wait_event(other, event));
    copied.set(other, 0, 3);
    gate.open();
    ASSERT_OK(gs_event_synchronize(event));
    if (!on_gpu()) {
        EXPECT_FALSE(done(stream.get())) << "the kernel waits for the flag";
        EXPECT_EQ(pair.words[kOut], 0u);
    }
    const StatsDelta stats;
    EXPECT_TRUE(done(event));
    ASSERT_OK(gs_stream_wait_event(stream, event));
    EXPECT_EQ(stats.since(&gs_stats_t::elided_queries), 0u);
    EXPECT_EQ(stats.since(&gs_stats_t::elided_waits), 0u);
    pair.words.set(kFlag, 1);
    ASSERT_OK(gs_stream_synchronize(stream));
    ASSERT_OK(gs_stream_synchronize(other));
    EXPECT_NE(pair.words[kOut], 0u);
    EXPECT_EQ(copied[0], 3);
    ASSERT_OK(gs_event_record(event, stream)); // a plain record again, still asked for
    ASSERT_OK(gs_event_synchronize(event));
    EXPECT_TRUE(done(event));
    EXPECT_EQ(stats.since(&gs_stats_t::elided_queries), 0u);
}

TEST_P(Conformance, RowWork_AttributesOfLaunches) {
    GS_NEEDS_ATTRIBUTES();
    const Kernels kernels(GetParam());
    Words words(1);
    uint32_t *counter = words.at(0);
    void *arguments[] = {&counter};
    Stream stream = make_stream();
    gs_launch_config_t config = launch_of(4, 32);
    uint32_t launches = 0;
    const auto launch = [&] {
        ASSERT_OK(gs_kernel_launch(kernels["add_one"], &config, arguments, stream));
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(words[0], ++launches);
    };
    for (const uint32_t flags :
         {uint32_t{GS_LAUNCH_PRIORITY}, uint32_t{GS_LAUNCH_REMOTE_DOMAIN}, uint32_t{GS_LAUNCH_PROGRAMMATIC},
          uint32_t{GS_LAUNCH_PRIORITY | GS_LAUNCH_REMOTE_DOMAIN | GS_LAUNCH_PROGRAMMATIC}}) {
        config.flags = flags;
        launch();
    }
    config.flags = GS_LAUNCH_PRIORITY;
    for (const int32_t priority : {-1000, -1, 0, 1000}) { // clamped
        config.priority = priority;
        launch();
    }
    config.flags = config.priority = 0;
    config.cluster_x = 2;
    config.cluster_y = config.cluster_z = 1;
    launch();
    config = launch_of(1, 32);
    config.flags = GS_LAUNCH_COOPERATIVE;
    launch();
    config.struct_size = offsetof(gs_launch_config_t, flags); // a caller that knows no attributes
    config.flags = ~0u;
    launch();
}

TEST_P(Conformance, BadInput_AttributesOfLaunches) {
    const Kernels kernels(GetParam());
    Words words(1);
    uint32_t *counter = words.at(0);
    void *arguments[] = {&counter};
    const auto refused = [&](const char *text, auto &&change, gs_status_t status = GS_ERROR_INVALID_ARGUMENT) {
        gs_launch_config_t config = launch_of(6, 32);
        change(config);
        EXPECT_FAILS(status, gs_kernel_launch, text, kernels["add_one"], &config, arguments, GS_STREAM_CURRENT);
    };
    refused("flags are 0x10", [](auto &config) { config.flags = 16; });
    refused("reserved is 1", [](auto &config) { config.reserved = 1; });
    refused("GS_LAUNCH_PRIORITY", [](auto &config) { config.priority = -1; });
    const auto cluster = [](uint32_t x, uint32_t y, uint32_t z) {
        return [=](gs_launch_config_t &config) {
            config.cluster_x = x;
            config.cluster_y = y;
            config.cluster_z = z;
        };
    };
    refused("give at least 1 along each axis", cluster(2, 0, 0));
    refused("give at least 1 along each axis", cluster(0, 1, 1));
    refused("at most 8 blocks", cluster(3, 3, 1));
    refused("at most 8 blocks", cluster(0x80000000, 2, 1));
    refused("does not divide the grid", cluster(4, 1, 1));
    refused("does not divide the grid", cluster(2, 2, 1));
    if (has_all_attributes())
        refused(on_cuda() ? "cuLaunchKernelEx refused grid" : "launch fewer, which loop", [](auto &config) {
            config.grid_x = 1'000'000;
            config.block_x = 1024;
            config.flags = GS_LAUNCH_COOPERATIVE;
        });
    Event timed = make_event(GS_EVENT_TIMING), ended = make_event();
    const gs_event_t gone = ended.get();
    ended = Event();
    refused("without GS_EVENT_TIMING", [&](auto &config) { config.programmatic_event = timed; });
    refused("destroyed", [&](auto &config) { config.programmatic_event = gone; }, GS_ERROR_INVALID_HANDLE);
    EXPECT_OK(gs_stream_synchronize(default_stream()));
    EXPECT_EQ(words[0], 0u);
}

TEST_P(Conformance, BadInput_ProgrammaticEventOfAnotherDevice) {
    GS_NEEDS_DEVICES(2);
    GS_NEEDS_ATTRIBUTES();
    const Kernels kernels(GetParam(), 0);
    Stream there = make_stream(1), here = make_stream(0);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, there));
    Words words(1);
    uint32_t *counter = words.at(0);
    void *arguments[] = {&counter};
    gs_launch_config_t config = launch_of(1, 1);
    config.programmatic_event = event;
    EXPECT_STATUS(GS_ERROR_DEVICE_MISMATCH, gs_kernel_launch(kernels["add_one"], &config, arguments, here));
}

} // namespace gs::test
