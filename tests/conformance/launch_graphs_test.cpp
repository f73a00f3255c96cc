// SPDX-License-Identifier: Apache-2.0
// Attributes of launches in captures and of nodes, and what only a GPU shows of them.
#include "conformance/launch_pair.hpp"

namespace gs::test {

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
