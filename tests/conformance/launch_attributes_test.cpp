// SPDX-License-Identifier: Apache-2.0
// Attributes of launches.
#include <cstddef>

#include "conformance/graph_building.hpp"
#include "conformance/launch_kernels.hpp"
#include "support/gate.hpp"
#include "support/stats_delta.hpp"

namespace gs::test {
namespace {

constexpr size_t kFlag = 0, kOut = 1, kSeen = 2;
constexpr uint32_t kLong = 20'000, kShort = 20; // milliseconds until the first kernel gives up

// Whether the device has what the tests launch. GPUs may lack it, or may start the second kernel no earlier than they must.
bool has_all_attributes() {
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    EXPECT_OK(gs_device_get_info(GS_DEVICE_CURRENT, &info));
    return info.backend == GS_BACKEND_HOST || info.capability_major >= 9;
}
#define GS_NEEDS_ATTRIBUTES()                                                                                          \
    if (!has_all_attributes()) GTEST_SKIP() << "needs compute capability 9.0"

// The first waits for a flag, which the second sets; the second notes what the first has written.
struct Pair {
    Pair(gs_backend_t kind, uint32_t ms) : kernels(kind, GS_DEVICE_CURRENT, kLaunchPtx), milliseconds(ms) {}

    gs_status_t first(gs_stream_t stream, gs_event_t event = nullptr) {
        gs_launch_config_t config = launch_of(1, 1);
        config.programmatic_event = event;
        void *arguments[] = {&flag, &out, &milliseconds};
        return gs_kernel_launch(kernels["primary"], &config, arguments, stream);
    }
    gs_status_t second(gs_stream_t stream, uint32_t flags = GS_LAUNCH_PROGRAMMATIC) {
        gs_launch_config_t config = launch_of(1, 1);
        config.flags = flags;
        void *arguments[] = {&flag, &out, &seen};
        return gs_kernel_launch(kernels["secondary"], &config, arguments, stream);
    }

    Words words{3};
    Kernels kernels;
    uint32_t *flag = words.at(kFlag), *out = words.at(kOut), *seen = words.at(kSeen);
    uint32_t milliseconds;
};

} // namespace

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

TEST_P(Conformance, RowGraph_CapturedLaunchesKeepTheirAttributes) {
    GS_NEEDS_ATTRIBUTES();
    Pair pair(GetParam(), on_gpu() ? kShort : kLong);
    Stream stream = make_stream();
    Event event = make_event();
    gs_graph_t captured = nullptr;
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_RELAXED));
    ASSERT_OK(pair.first(stream));
    EXPECT_STATUS(GS_ERROR_CAPTURING, pair.first(stream, event));
    ASSERT_OK(pair.second(stream)) << "the capture goes on";
    ASSERT_OK(gs_stream_end_capture(stream, &captured));
    Graph graph(captured);
    EXPECT_EQ(info_of(graph).node_count, 2u);
    EXPECT_EQ(info_of(graph).edge_count, 1u);
    EXPECT_EQ(info_of(graph, nodes_of(graph)[0]).successor_count, 1u);
    gs_node_t edge[2] = {};
    size_t edges = 0;
    ASSERT_OK(gs_graph_edges(graph, edge, 1, &edges));
    EXPECT_EQ(edges, 1u);
    GraphExec exec = instantiate(graph);
    for (int i = 0; i < 2; ++i) {
        for (const size_t word : {kFlag, kOut, kSeen}) pair.words.set(word, 0);
        run(exec, stream);
        EXPECT_EQ(pair.words[kSeen], pair.words[kOut]);
        if (!on_gpu()) EXPECT_EQ(pair.words[kOut], 1u);
    }
}

TEST_P(Conformance, RowGraph_NodesWithAttributes) {
    GS_NEEDS_ATTRIBUTES();
    const Kernels kernels(GetParam());
    Words words(1);
    uint32_t *counter = words.at(0);
    void *arguments[] = {&counter};
    Graph graph = make_graph();
    gs_launch_config_t config = launch_of(2, 32);
    config.flags = GS_LAUNCH_PRIORITY | GS_LAUNCH_REMOTE_DOMAIN | GS_LAUNCH_COOPERATIVE;
    config.priority = -1;
    config.cluster_x = 2;
    config.cluster_y = config.cluster_z = 1;
    gs_node_t node = 0, none = 0;
    const auto add = [&](gs_node_t *out) {
        return gs_graph_add_node(graph, nullptr, 0, kernel_node(kernels["add_one"], &config, arguments), out);
    };
    ASSERT_OK(add(&node));
    config.cluster_x = 3;
    EXPECT_EQ(add(&none), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(last_text().find("does not divide the grid"), std::string::npos) << last_text();
    config = launch_of(2, 32);
    config.flags = GS_LAUNCH_PROGRAMMATIC;
    EXPECT_EQ(add(&none), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(last_text().find("gs_stream_begin_capture"), std::string::npos) << last_text();
    Event event = make_event();
    config.flags = 0;
    config.programmatic_event = event;
    EXPECT_EQ(add(&none), GS_ERROR_INVALID_ARGUMENT);
    EXPECT_NE(last_text().find("no programmatic event"), std::string::npos) << last_text();
    config.programmatic_event = nullptr;
    GraphExec exec = instantiate(graph);
    run(exec, make_stream());
    EXPECT_EQ(words[0], 1u);
    config.flags = GS_LAUNCH_PRIORITY;
    const auto change = kernel_node(kernels["add_one"], &config, arguments);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_graph_exec_set_node, "keeps its attributes", exec, node, change);
    config.flags = 0;
    ASSERT_OK(gs_graph_exec_set_node(exec, node, kernel_node(kernels["add_one"], &config, arguments)));
    run(exec, make_stream());
    EXPECT_EQ(words[0], 2u);
}

// What only a GPU shows.
TEST_P(Conformance, RowWork_ClustersAndCooperativeLaunchesOnAGpu) {
    if (!on_gpu()) GTEST_SKIP() << "no GPU";
    GS_NEEDS_ATTRIBUTES();
    const Kernels kernels(GetParam(), GS_DEVICE_CURRENT, kLaunchPtx);
    gs_device_info_t info{};
    info.struct_size = sizeof info;
    ASSERT_OK(gs_device_get_info(GS_DEVICE_CURRENT, &info));
    Words words(1);
    Stream stream = make_stream();
    uint32_t *out = words.at(0);
    void *sizes[] = {&out};
    gs_launch_config_t config = launch_of(8, 32);
    config.cluster_x = 4;
    config.cluster_y = config.cluster_z = 1;
    ASSERT_OK(gs_kernel_launch(kernels["cluster_size"], &config, sizes, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(words[0], 4u);
    words.set(0, 0);
    void *counter = nullptr;
    auto blocks = static_cast<uint32_t>(info.multiprocessor_count);
    ASSERT_OK(gs_malloc_async(4, stream, &counter));
    ASSERT_OK(gs_memset_async(counter, 0, 4, stream));
    void *meeting[] = {&counter, &blocks, &out};
    config = launch_of(blocks, 1024);
    config.flags = GS_LAUNCH_COOPERATIVE;
    ASSERT_OK(gs_kernel_launch(kernels["meet"], &config, meeting, stream));
    ASSERT_OK(gs_free_async(counter, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(words[0], 1u) << "all blocks met";
}

} // namespace gs::test
