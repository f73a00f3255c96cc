// SPDX-License-Identifier: Apache-2.0
// Graphs built node by node: what each kind of node does at a launch, and in which order.
#include <atomic>
#include <thread>

#include "conformance/graph_building.hpp"
#include "support/launches.hpp"

namespace gs::test {
namespace {

void add_one_to(void *arg) { static_cast<std::atomic<int> *>(arg)->fetch_add(1); }

} // namespace

TEST_P(Conformance, RowGraph_NodesRunInOrderAtEachLaunch) {
    Graph graph = make_graph();
    Bytes bytes(64);
    std::atomic<int> calls{0};
    const gs_node_t fill = add_memset(graph, {}, bytes.at(0), 7, 8);
    const gs_node_t copy = add_memcpy(graph, {fill}, bytes.at(8), bytes.at(0), 8);
    const gs_node_t again = add_memset(graph, {copy}, bytes.at(0), 9, 4);
    const gs_node_t met = add_empty(graph, {copy, again});
    add_host(graph, {met}, add_one_to, &calls);
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    EXPECT_EQ(bytes[0], 0) << "building runs nothing";
    for (int launch = 1; launch <= 3; ++launch) {
        bytes[8] = 0;
        run(exec, stream);
        EXPECT_EQ(bytes[0], 9);
        EXPECT_EQ(bytes[4], 7);
        EXPECT_EQ(bytes[8], 7) << "copied before the second fill";
        EXPECT_EQ(calls.load(), launch);
    }
}

TEST_P(Conformance, RowGraph_OneVariableForAChain) {
    Graph graph = make_graph();
    Bytes bytes(3);
    gs_node_t last = add_memset(graph, {}, bytes.at(0), 7, 1);
    ASSERT_OK(gs_graph_add_node(graph, &last, 1, copy_node(bytes.at(1), bytes.at(0), 1), &last));
    ASSERT_OK(gs_graph_add_node(graph, &last, 1, copy_node(bytes.at(2), bytes.at(1), 1), &last));
    EXPECT_EQ(info_of(graph).edge_count, 2u);
    const gs_node_t third = last;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT,
                  gs_graph_add_node(graph, &last, 1, copy_node(nullptr, bytes.at(1), 1), &last));
    EXPECT_EQ(last, 0u) << "as any output";
    EXPECT_EQ(nodes_of(graph).back(), third);
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    run(exec, stream);
    EXPECT_EQ(bytes[2], 7);
}

TEST_P(Conformance, RowGraph_LaunchesKeepTheirPlaceInTheStream) {
    Graph graph = make_graph();
    Bytes bytes(4);
    add_memcpy(graph, {}, bytes.at(1), bytes.at(0), 1);
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    for (int i = 0; i < 100; ++i) {
        bytes.set(stream, 0, 2 * i);
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        bytes.set(stream, 0, 2 * i + 1);
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
        bytes.set(stream, 0, 0);
        if (i % 10 != 0) continue;
        ASSERT_OK(gs_stream_synchronize(stream));
        EXPECT_EQ(bytes[1], 2 * i + 1);
        EXPECT_EQ(bytes[0], 0);
    }
    if (on_gpu()) return; // its driver does not launch graphs while a host function holds the stream (probe P21)
    ASSERT_OK(gs_stream_synchronize(stream));
    Gate gate;
    ASSERT_OK(gate.hold(stream));
    bytes.set(stream, 0, 5);
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    bytes.set(stream, 0, 6);
    EXPECT_FALSE(done(stream.get()));
    EXPECT_EQ(bytes[1], 199);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(stream));
    EXPECT_EQ(bytes[1], 5);
    EXPECT_EQ(bytes[0], 6);
}

// As drivers do: no program may come to rely on an order that a GPU lacks.
TEST_P(Conformance, RowGraph_LaunchesWithoutNodesOrderNothing) {
    Graph graph = make_graph();
    GraphExec exec = instantiate(graph);
    Stream held = make_stream(), other = make_stream();
    Gate gate;
    ASSERT_OK(gate.hold(held));
    ASSERT_OK(gs_graph_exec_launch(exec, held));
    ASSERT_OK(gs_graph_exec_launch(exec, other));
    EXPECT_OK(gs_stream_synchronize(other)) << "waits for nothing that is held";
    int32_t done = 1;
    EXPECT_OK(gs_stream_query(held, &done));
    EXPECT_FALSE(done);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(held));
}

TEST_P(Conformance, RowGraph_KernelNodesCopyTheirArguments) {
    Kernels kernels(GetParam());
    Graph graph = make_graph();
    Words words(8);
    uint32_t *out = words.at(0);
    uint32_t base = 70, count = 5;
    void *arguments[] = {&out, &base, &count};
    const gs_launch_config_t config = launch_of(2, 4);
    gs_node_t node = 0;
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, kernel_node(kernels["fill_index"], &config, arguments), &node));
    out = nullptr;
    base = count = 0;
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    run(exec, stream);
    for (uint32_t i = 0; i < 5; ++i) EXPECT_EQ(words[i], 70 + i);
    EXPECT_EQ(words[5], 0u);
    const gs_node_params_t info = info_of(graph, node);
    EXPECT_EQ(info.kind, GS_NODE_KERNEL);
    EXPECT_EQ(info.grid_x, 2u);
    EXPECT_EQ(info.block_x, 4u);
    EXPECT_STREQ(info.name, "fill_index");
}

TEST_P(Conformance, RowGraph_AModuleOutlivesItsHandleWhileAGraphNeedsIt) {
    Kernels kernels(GetParam());
    Graph graph = make_graph();
    Words words(1);
    uint32_t *counter = words.at(0);
    void *arguments[] = {&counter};
    const gs_kernel_t kernel = kernels["add_one"];
    add_kernel(graph, {}, kernel, arguments);
    GraphExec exec = instantiate(graph);
    ASSERT_OK(gs_module_destroy(kernels.release()));
    gs_node_t node = 1;
    const gs_launch_config_t config = one_thread();
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_graph_add_node, "kernel", graph, nullptr, 0,
                 kernel_node(kernel, &config, arguments), &node);
    EXPECT_EQ(node, 0u);
    graph.reset();
    Stream stream = make_stream();
    for (int i = 0; i < 3; ++i) run(exec, stream);
    EXPECT_EQ(words[0], 3u);
}

// A kernel that was launched in a capture, on two streams of it, and one that a change brought in.
TEST_P(Conformance, RowGraph_AModuleOutlivesItsHandleWhileACapturedGraphNeedsIt) {
    Kernels kernels(GetParam()), more(GetParam());
    Words words(2);
    uint32_t *counter = words.at(0), *other = words.at(1);
    void *arguments[] = {&counter}, *others[] = {&other};
    const gs_launch_config_t config = one_thread();
    Stream stream = make_stream(), side = make_stream();
    gs_graph_t captured = nullptr;
    gs_node_t node = 0;
    size_t found = 0;
    ASSERT_OK(gs_stream_begin_capture(stream, GS_CAPTURE_THREAD_LOCAL));
    ASSERT_OK(gs_kernel_launch(kernels["add_one"], &config, arguments, stream));
    ASSERT_OK(gs_stream_capture_nodes(stream, &node, 1, &found));
    ASSERT_OK(gs_stream_wait_stream(side, stream));
    ASSERT_OK(gs_kernel_launch(kernels["add_one"], &config, arguments, side));
    ASSERT_OK(gs_stream_wait_stream(stream, side));
    ASSERT_OK(gs_stream_end_capture(stream, &captured));
    Graph graph(captured);
    GraphExec exec = instantiate(graph);
    ASSERT_OK(gs_graph_exec_set_node(exec, node, kernel_node(more["add_one"], &config, others)));
    ASSERT_OK(gs_module_destroy(kernels.release()));
    ASSERT_OK(gs_module_destroy(more.release()));
    graph.reset();
    for (int i = 0; i < 3; ++i) run(exec, stream);
    EXPECT_EQ(words[0], 3u);
    EXPECT_EQ(words[1], 3u);
    exec.reset();
    EXPECT_OK(gs_trim());
    Kernels again(GetParam());
    EXPECT_NE(again["add_one"], nullptr);
}

TEST_P(Conformance, RowGraph_RecordNodesRecordAndWaitNodesWait) {
    Stream stream = make_stream(), other = make_stream();
    Event gated = make_event(), reached = make_event();
    Bytes bytes(2);
    Graph graph = make_graph();
    gs_node_t wait = 0, record = 0;
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, wait_node(gated), &wait));
    const gs_node_t fill = add_memset(graph, {wait}, bytes.at(0), 3, 1);
    ASSERT_OK(gs_graph_add_node(graph, &fill, 1, record_node(reached), &record));
    GraphExec exec = instantiate(graph);
    run(exec, stream); // gated has no record yet, and holds up the launch only later
    EXPECT_TRUE(done(reached.get()));
    bytes[0] = 0;

    Gate gate;
    ASSERT_OK(gate.hold(other));
    ASSERT_OK(gs_event_record(gated, other));
    ASSERT_OK(gs_graph_exec_launch(exec, stream));
    EXPECT_FALSE(done(stream.get()));
    EXPECT_FALSE(done(reached.get())) << "the launch has recorded it, and is waiting";
    EXPECT_EQ(bytes[0], 0);
    Stream behind = make_stream();
    ASSERT_OK(gs_event_wait(reached, behind));
    bytes.copy(behind, 1, 0);
    gate.open();
    ASSERT_OK(gs_stream_synchronize(behind));
    EXPECT_EQ(bytes[1], 3) << "the wait saw the record of the launch";
}

TEST_P(Conformance, RowGraph_EventsOutliveTheirOwnersInAGraph) {
    Graph graph = make_graph();
    gs_event_t event = make_event().release();
    gs_node_t record = 0;
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, record_node(event), &record));
    GraphExec exec = instantiate(graph);
    ASSERT_OK(gs_event_destroy(event));
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_event_destroy, "was destroyed", event);
    uintptr_t native = 0;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_event_into_native, "was destroyed", event, &native);
    std::vector<Event> others;
    Stream held = make_stream(), stream = make_stream();
    Gate gate;
    ASSERT_OK(gate.hold(held));
    for (int i = 0; i < 20; ++i) {
        others.push_back(make_event());
        ASSERT_OK(gs_event_record(others.back(), held));
    }
    run(exec, stream);
    for (const Event &other : others) EXPECT_FALSE(done(other.get())) << "the graph recorded an event of another owner";
    gate.open();
    ASSERT_OK(gs_stream_synchronize(held));
}

TEST_P(Conformance, RowGraph_ChildGraphsAreCopies) {
    Bytes bytes(3);
    Graph child = make_graph(), parent = make_graph();
    add_memset(child, {}, bytes.at(0), 4, 1);
    const gs_node_t before = add_memset(parent, {}, bytes.at(0), 1, 1);
    gs_node_t inside = 0;
    ASSERT_OK(gs_graph_add_node(parent, &before, 1, graph_node(child), &inside));
    add_memcpy(parent, {inside}, bytes.at(1), bytes.at(0), 1);
    add_memset(child, {}, bytes.at(2), 5, 1); // not part of the copy
    EXPECT_EQ(info_of(parent, inside).kind, GS_NODE_GRAPH);
    EXPECT_EQ(info_of(parent).node_count, 3u);
    child.reset();
    GraphExec exec = instantiate(parent);
    Stream stream = make_stream();
    run(exec, stream);
    EXPECT_EQ(bytes[1], 4);
    EXPECT_EQ(bytes[2], 0);
}

TEST_P(Conformance, RowGraph_IndependentNodesBuiltByManyThreads) {
    constexpr int kThreads = 4, kEach = 25;
    Graph graph = make_graph();
    Bytes bytes(kThreads * kEach);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < kEach; ++i) add_memset(graph, {}, bytes.at(t * kEach + i), 1, 1);
        });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(info_of(graph).node_count, uint64_t{kThreads * kEach});
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    run(exec, stream);
    for (size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(bytes[i], 1) << i;
}

} // namespace gs::test
