// SPDX-License-Identifier: Apache-2.0
// What graphs inside graphs, graphs that are being captured into and graphs of other code refuse; nothing is changed then.
#include <vector>

#include "conformance/captures.hpp"
#include "conformance/graph_building.hpp"

namespace gs::test {
namespace {

void no_work_refused(void *) {}

} // namespace

TEST_P(Conformance, RowGraph_GraphsThatCannotBeChildren) {
    Bytes bytes(1);
    Graph functions = make_graph(), parent = make_graph(), captured = make_graph();
    gs_graph_t gone = make_graph().release();
    ASSERT_OK(gs_graph_destroy(gone));
    add_host(functions, {}, no_work_refused, nullptr);
    Stream stream = make_stream();
    ASSERT_OK(gs_stream_begin_capture_to(stream, captured, nullptr, 0, GS_CAPTURE_THREAD_LOCAL));
    gs_node_t node = 7;
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_add_node, "being captured into the child", parent, nullptr, 0,
                 graph_node(captured), &node);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_graph_add_node, "cannot contain itself", parent, nullptr, 0,
                 graph_node(parent), &node);
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_graph_add_node, "graph", parent, nullptr, 0, graph_node(gone), &node);
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_graph_add_node, "graph", gone, nullptr, 0, graph_node(parent), &node);
    EXPECT_EQ(node, 0u);
    ASSERT_OK(gs_stream_abort_capture(stream));
    EXPECT_EQ(info_of(parent).node_count, 0u);
    EXPECT_OK(gs_graph_add_node(parent, nullptr, 0, graph_node(functions), &node));
    EXPECT_OK(gs_graph_add_node(functions, nullptr, 0, graph_node(captured), &node))
        << "the other order of the two locks";
}

TEST_P(Conformance, RowGraph_WhatBodiesRefuse) {
    GS_NEEDS_CONDITIONS();
    Bytes bytes(1);
    Stream stream = make_stream();
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    Graph graph = make_graph(), functions = make_graph(), other = make_graph(), plain = make_graph();
    add_host(functions, {}, no_work_refused, nullptr);
    const Condition outer = add_condition(graph, {}, GS_CONDITION_IF, 0, 2);
    const gs_graph_t body = outer.bodies[0];
    gs_node_t node = 7;
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "body", body, nullptr, 0,
                 host_node(no_work_refused, nullptr), &node);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "body", body, nullptr, 0, record_node(event), &node);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "body", body, nullptr, 0, wait_node(event), &node);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "child graph has nodes", body, nullptr, 0,
                 graph_node(functions), &node);
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_add_node, "contain each other", body, nullptr, 0, graph_node(graph),
                 &node);
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_add_node, "contain each other", graph, nullptr, 0, graph_node(body),
                 &node);
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_add_node, "a body of a conditional node", other, nullptr, 0,
                 graph_node(body), &node);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "with conditions", other, nullptr, 0, graph_node(graph),
                 &node);
    gs_graph_t copy = nullptr;
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_clone, "with conditions", graph, &copy);
    EXPECT_EQ(copy, nullptr);
    EXPECT_EQ(node, 0u);
    EXPECT_EQ(info_of(body).node_count, 0u);
    EXPECT_EQ(info_of(other).node_count, 0u);
    EXPECT_EQ(info_of(graph).node_count, 1u);
    GraphExec exec = instantiate(plain);
    gs_graph_update_t update{};
    update.struct_size = sizeof update;
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_exec_update, "part of another graph", exec, body, &update);
    EXPECT_OK(gs_graph_add_node(body, nullptr, 0, graph_node(plain), &node)) << "an empty graph may be inside";
}

// Code that walks graphs calls itself for each level, so that there must be a last one.
TEST_P(Conformance, RowGraph_NestedSoDeepAndNoDeeper) {
    constexpr int kLevels = 64;
    gs_node_t node = 0;
    Graph child = make_graph();
    for (int level = 0; level < kLevels; ++level) {
        Graph around = make_graph();
        ASSERT_OK(gs_graph_add_node(around, nullptr, 0, graph_node(child), &node)) << level;
        child = std::move(around);
    }
    EXPECT_EQ(info_of(child).node_count, 1u) << "what can be made can be looked at,";
    gs_graph_t copy = nullptr;
    ASSERT_OK(gs_graph_clone(child, &copy)) << "copied,";
    EXPECT_OK(gs_graph_destroy(copy));
    EXPECT_TRUE(instantiate(child)) << "and run";
    Graph graph = make_graph();
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "more than 64 deep", graph, nullptr, 0, graph_node(child),
                 &node);
    EXPECT_EQ(info_of(graph).node_count, 0u);
    GS_NEEDS_CONDITIONS();
    gs_graph_t body = graph;
    for (int level = 0; level < kLevels; ++level) body = add_condition(body, {}, GS_CONDITION_IF, 0, 1).bodies[0];
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "more than 64 deep", body, nullptr, 0,
                 condition_node(GS_CONDITION_IF, 0, 1), &node);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "more than 64 deep", body, nullptr, 0,
                 graph_node(make_graph()), &node);
    EXPECT_EQ(info_of(body).node_count, 0u);
    EXPECT_TRUE(instantiate(graph));
}

// A word is set where its condition can see it: in the graph of the condition, or in a body at any depth.
TEST_P(Conformance, RowGraph_WhereAConditionMayBeSet) {
    GS_NEEDS_CONDITIONS();
    Words words(1);
    Graph graph = make_graph(), other = make_graph();
    gs_graph_t gone = make_graph().release();
    ASSERT_OK(gs_graph_destroy(gone));
    const Condition loop = add_condition(graph, {}, GS_CONDITION_WHILE, 0, 1);
    const Condition inner = add_condition(loop.bodies[0], {}, GS_CONDITION_IF, 0, 1);
    const Condition beside = add_condition(graph, {}, GS_CONDITION_IF, 0, 1);
    const gs_node_t behind = add_empty(graph, {loop.node}), last = add_empty(graph, {behind});
    gs_node_t node = 7;
    const auto refused = [&](const char *text, gs_graph_t in, const std::vector<gs_node_t> &after, gs_graph_t owner,
                             gs_node_t condition) {
        const size_t before = info_of(in).node_count;
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_graph_add_node, text, in, after.data(), after.size(),
                     set_condition_node(owner, condition, words.at(0)), &node);
        EXPECT_EQ(node, 0u);
        EXPECT_EQ(info_of(in).node_count, before);
    };
    refused("not inside the one that has the condition", other, {}, graph, loop.node);
    refused("neither the one of the condition nor a body inside it", beside.bodies[0], {}, graph, loop.node);
    refused("neither the one of the condition nor a body inside it", graph, {}, loop.bodies[0], inner.node);
    refused("no conditional node", graph, {}, graph, behind);
    refused("a cycle", graph, {loop.node}, graph, loop.node);
    refused("a cycle", graph, {last}, graph, loop.node);
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_graph_add_node, "graph", graph, nullptr, 0,
                 set_condition_node(gone, loop.node, words.at(0)), &node);
    EXPECT_OK(gs_graph_add_node(inner.bodies[0], nullptr, 0, set_condition_node(graph, loop.node, words.at(0)), &node))
        << "deep inside";
    EXPECT_OK(gs_graph_add_node(graph, nullptr, 0, set_condition_node(graph, loop.node, words.at(0)), &node));
    EXPECT_EQ(info_of(graph, node).successor_count, 1u) << "the condition comes after it";
}

TEST_P(Conformance, RowGraph_WhileAStreamIsCapturedIntoIt) {
    Stream stream = make_stream(), second = make_stream();
    Graph graph = make_graph(), plain = make_graph();
    GraphExec exec = instantiate(plain);
    gs_graph_t copy = nullptr;
    gs_graph_exec_t none = nullptr;
    gs_graph_update_t update{};
    update.struct_size = sizeof update;
    ASSERT_OK(gs_stream_begin_capture_to(stream, graph, nullptr, 0, GS_CAPTURE_THREAD_LOCAL));
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_graph_clone, "captured into", graph, &copy);
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_graph_exec_update, "captured into", exec, graph, &update);
    EXPECT_STATUS(GS_ERROR_CAPTURING, gs_graph_instantiate(graph, 0, &none));
    EXPECT_FAILS(GS_ERROR_CAPTURING, gs_stream_begin_capture_to, "another stream", second, graph, nullptr, 0,
                 GS_CAPTURE_THREAD_LOCAL);
    EXPECT_EQ(capture_state(second), GS_CAPTURE_STATE_NONE);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_ACTIVE) << "none of it breaks the capture";
    Graph same = end_capture(stream);
    EXPECT_EQ(same.get(), graph.get());
    EXPECT_OK(gs_graph_exec_update(exec, graph, &update));
}

TEST_P(Conformance, RowGraph_CapturesBeginInGraphsOfTheirDevice) {
    GS_NEEDS_DEVICES(2);
    Stream stream = make_stream(0);
    Graph far = make_graph(1), near = make_graph(0);
    const gs_node_t foreign = add_empty(far);
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_stream_begin_capture_to, "device", stream, far, nullptr, 0,
                 GS_CAPTURE_THREAD_LOCAL);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_stream_begin_capture_to, "no node", stream, near, &foreign, 1,
                 GS_CAPTURE_THREAD_LOCAL);
    EXPECT_EQ(capture_state(stream), GS_CAPTURE_STATE_NONE);
    GraphExec exec = instantiate(near);
    gs_graph_update_t update{};
    update.struct_size = sizeof update;
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_graph_exec_update, "device", exec, far, &update);
}

TEST_P(Conformance, RowGraph_EachDimensionOfALaunchIsChecked) {
    Kernels kernels(GetParam());
    Words words(1);
    uint32_t *word = words.at(0);
    void *arguments[] = {&word};
    Graph graph = make_graph();
    const gs_node_t counted = add_kernel(graph, {}, kernels["add_one"], arguments);
    GraphExec exec = instantiate(graph);
    uint32_t gs_launch_config_t::*const dimensions[] = {&gs_launch_config_t::grid_x,  &gs_launch_config_t::grid_y,
                                                        &gs_launch_config_t::grid_z,  &gs_launch_config_t::block_x,
                                                        &gs_launch_config_t::block_y, &gs_launch_config_t::block_z};
    for (const auto dimension : dimensions) {
        gs_launch_config_t config = one_thread();
        config.*dimension = 0;
        gs_node_t node = 7;
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_graph_add_node, "a dimension is 0", graph, nullptr, 0,
                     kernel_node(kernels["add_one"], &config, arguments), &node);
        EXPECT_EQ(node, 0u);
        EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_graph_exec_set_node, "a dimension is 0", exec, counted,
                     kernel_node(kernels["add_one"], &config, arguments));
    }
    EXPECT_EQ(info_of(graph).node_count, 1u);
    Stream stream = make_stream();
    run(exec, stream);
    EXPECT_EQ(words[0], 1u);
}

TEST_P(Conformance, RowGraph_WordsThatAreNoGraph) {
    gs_graph_t graph = nullptr;
    for (const uintptr_t word : {uintptr_t{0}, uintptr_t{8}, uintptr_t{0x10001}, ~uintptr_t{0} - 7})
        EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_from_native(GS_DEVICE_CURRENT, word, &graph)) << word;
    EXPECT_EQ(graph, nullptr);
}

TEST_P(HostConformance, RowGraph_TheHostBackendKnowsItsGraphs) {
    gs_graph_t wrap = nullptr;
    uintptr_t native = 0;
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_graph_from_native, "is not a graph of the host backend", GS_DEVICE_CURRENT,
                 0x7f0000000000u, &wrap);
    Graph graph = make_graph();
    add_empty(graph);
    ASSERT_OK(gs_graph_native(graph, &native));
    ASSERT_OK(gs_graph_from_native(GS_DEVICE_CURRENT, native, &wrap));
    EXPECT_EQ(info_of(wrap).node_count, 1u);
    EXPECT_OK(gs_graph_destroy(wrap));
    EXPECT_EQ(info_of(graph).node_count, 1u) << "its owner still has it";
}

} // namespace gs::test
