// SPDX-License-Identifier: Apache-2.0
// What the functions that build graphs refuse, and that nothing is added then.
#include <set>
#include <utility>

#include "conformance/graph_building.hpp"

namespace gs::test {
namespace {

void never(void *) { ADD_FAILURE() << "called"; }

} // namespace

TEST_P(Conformance, RowGraph_PredecessorsAreChecked) {
    Graph graph = make_graph(), other = make_graph();
    const gs_node_t mine = add_empty(graph), second = add_empty(graph), foreign = add_empty(other);
    gs_graph_t gone = make_graph().release();
    const gs_node_t stale = add_empty(gone);
    ASSERT_OK(gs_graph_destroy(gone));
    gs_node_t node = 1;
    const auto refused = [&](gs_status_t status, const gs_node_t *after, size_t count, const char *text) {
        EXPECT_FAILS(status, gs_graph_add_node, text, graph, after, count, empty_node(), &node);
        EXPECT_EQ(node, 0u);
    };
    const gs_node_t twice[] = {mine, mine}, apart[] = {mine, second, mine}, zero[] = {0},
                    garbage[] = {0x123456789abcdefu};
    refused(GS_ERROR_INVALID_ARGUMENT, &foreign, 1, "no node");
    refused(GS_ERROR_INVALID_ARGUMENT, &stale, 1, "no node");
    refused(GS_ERROR_INVALID_ARGUMENT, zero, 1, "no node");
    refused(GS_ERROR_INVALID_ARGUMENT, garbage, 1, "no node");
    refused(GS_ERROR_INVALID_ARGUMENT, twice, 2, "twice");
    refused(GS_ERROR_INVALID_ARGUMENT, apart, 3, "twice");
    refused(GS_ERROR_INVALID_ARGUMENT, nullptr, 1, "after is NULL");
    refused(GS_ERROR_INVALID_ARGUMENT, &mine, SIZE_MAX, "predecessors");
    for (const size_t count : {size_t{PTRDIFF_MAX}, size_t{UINT32_MAX}, size_t{3}})
        refused(GS_ERROR_INVALID_ARGUMENT, &mine, count, "predecessors"); // the array is not read
    EXPECT_FAILS(GS_ERROR_INVALID_HANDLE, gs_graph_add_node, "graph", gone, nullptr, 0, empty_node(), &node);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_graph_add_node(graph, nullptr, 0, empty_node(), nullptr));
    EXPECT_EQ(info_of(graph).node_count, 2u);
    EXPECT_OK(gs_graph_add_node(graph, twice, 0, empty_node(), &node)) << "a count of 0 is no predecessor";
}

TEST_P(Conformance, RowGraph_ParametersAreChecked) {
    Graph graph = make_graph();
    Bytes bytes(8);
    gs_node_t node = 0;
    void *at = bytes.at(0);
    Kernels kernels(GetParam());
    void *arguments[] = {&at};
    gs_launch_config_t flat = one_thread();
    flat.grid_y = 0;
    Node small = empty_node(), flagged = empty_node();
    small.params.struct_size = 3;
    flagged.params.flags = 1;
    const Node wrong[] = {small,
                          flagged,
                          Node(GS_NODE_OTHER),
                          Node(GS_NODE_MALLOC),
                          Node(GS_NODE_FREE),
                          Node(-1),
                          host_node(nullptr, nullptr),
                          copy_node(nullptr, at, 1),
                          copy_node(at, nullptr, 1),
                          copy_node(at, bytes.at(4), 0),
                          copy_node(at, bytes.at(4), SIZE_MAX),
                          fill_node(nullptr, 0, 1),
                          fill_node(at, 256, 1),
                          fill_node(at, -1, 1),
                          fill_node(at, 0, 0),
                          kernel_node(kernels["add_one"], &flat, arguments),
                          graph_node(graph)};
    for (const Node &one : wrong) {
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_graph_add_node(graph, nullptr, 0, one, &node)) << one.params.kind;
        EXPECT_EQ(node, 0u);
    }
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_graph_add_node, "params is NULL", graph, nullptr, 0, nullptr, &node);
    EXPECT_EQ(info_of(graph).node_count, 0u);
}

TEST_P(Conformance, RowGraph_ObjectsOfOtherDevicesAreRefused) {
    GS_NEEDS_DEVICES(2);
    Graph graph = make_graph(0), far_graph = make_graph(1);
    Stream far = make_stream(1);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, far));
    gs_node_t node = 0;
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_graph_add_node, "device", graph, nullptr, 0, record_node(event), &node);
    EXPECT_OK(gs_graph_add_node(graph, nullptr, 0, wait_node(event), &node)) << "a wait may be for any device's event";
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_graph_add_node, "device", graph, nullptr, 0, graph_node(far_graph),
                 &node);
    Kernels kernels(GetParam(), 1);
    const gs_launch_config_t config = one_thread();
    EXPECT_FAILS(GS_ERROR_DEVICE_MISMATCH, gs_graph_add_node, "device", graph, nullptr, 0,
                 kernel_node(kernels["add_one"], &config, nullptr), &node);
}

TEST_P(Conformance, RowGraph_WhatAGraphIsMadeOf) {
    Graph graph = make_graph();
    Bytes bytes(8);
    const gs_node_t a = add_memset(graph, {}, bytes.at(0), 250, 3);
    const gs_node_t b = add_memcpy(graph, {a}, bytes.at(4), bytes.at(0), 2);
    const gs_node_t c = add_empty(graph, {a, b});
    const gs_node_t d = add_host(graph, {c}, never, nullptr);
    EXPECT_EQ(nodes_of(graph), (Nodes{a, b, c, d}));
    const gs_graph_summary_t whole = info_of(graph);
    EXPECT_EQ(whole.node_count, 4u);
    EXPECT_EQ(whole.edge_count, 4u);
    EXPECT_EQ(whole.is_body, 0);
    EXPECT_EQ(whole.has_conditions, 0);
    EXPECT_EQ(whole.device, current_device());

    size_t count = 0;
    gs_node_t pairs[16] = {};
    ASSERT_OK(gs_graph_edges(graph, pairs, 16, &count));
    ASSERT_EQ(count, 8u);
    std::multiset<std::pair<gs_node_t, gs_node_t>> found;
    for (size_t i = 0; i < count; i += 2) found.insert({pairs[i], pairs[i + 1]});
    EXPECT_EQ(found, (std::multiset<std::pair<gs_node_t, gs_node_t>>{{a, b}, {a, c}, {b, c}, {c, d}}));
    gs_node_t few[3] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};
    ASSERT_OK(gs_graph_edges(graph, few, 3, &count));
    EXPECT_EQ(count, 8u);
    EXPECT_NE(few[1], UINT64_MAX);
    EXPECT_EQ(few[2], UINT64_MAX) << "only whole pairs are written";
    ASSERT_OK(gs_graph_nodes(graph, few, 1, &count));
    EXPECT_EQ(count, 4u);
    EXPECT_EQ(few[0], a);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_graph_nodes(graph, nullptr, 1, &count));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_graph_edges(graph, nullptr, 2, &count));

    const gs_node_params_t fill = info_of(graph, a), copy = info_of(graph, b);
    EXPECT_EQ(fill.kind, GS_NODE_MEMSET);
    EXPECT_EQ(fill.dst, bytes.at(0));
    EXPECT_EQ(fill.value, 250);
    EXPECT_EQ(fill.bytes, 3u);
    EXPECT_EQ(fill.predecessor_count, 0u);
    EXPECT_EQ(fill.successor_count, 2u);
    EXPECT_EQ(fill.condition_kind, -1);
    EXPECT_EQ(copy.kind, GS_NODE_MEMCPY);
    EXPECT_EQ(copy.dst, bytes.at(4));
    EXPECT_EQ(copy.src, bytes.at(0));
    EXPECT_EQ(copy.bytes, 2u);
    EXPECT_EQ(info_of(graph, c).kind, GS_NODE_EMPTY);
    EXPECT_EQ(info_of(graph, d).kind, GS_NODE_HOST);
    uintptr_t native = 0, another = 0;
    EXPECT_OK(gs_graph_node_native(graph, a, &native));
    EXPECT_OK(gs_graph_node_native(graph, b, &another));
    EXPECT_NE(native, 0u);
    EXPECT_NE(native, another);

    Graph other = make_graph();
    gs_node_params_t info{};
    info.struct_size = sizeof info;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_graph_node_info(other, a, &info));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_graph_node_native(other, a, &native));
    EXPECT_EQ(native, 0u);
}

TEST_P(Conformance, RowGraph_ClonesAreIndependent) {
    Bytes bytes(2);
    Graph graph = make_graph();
    const gs_node_t first = add_memset(graph, {}, bytes.at(0), 6, 1);
    add_empty(graph, {first});
    gs_graph_t copy = nullptr;
    ASSERT_OK(gs_graph_clone(graph, &copy));
    Graph clone(copy);
    add_memset(graph, {}, bytes.at(1), 6, 1);
    const Nodes nodes = nodes_of(clone);
    ASSERT_EQ(nodes.size(), 2u);
    EXPECT_NE(nodes[0], first);
    EXPECT_EQ(info_of(clone, nodes[0]).kind, GS_NODE_MEMSET);
    EXPECT_EQ(info_of(clone).edge_count, 1u);
    gs_node_t node = 0;
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_graph_add_node(clone, &first, 1, empty_node(), &node))
        << "a node of the original";
    graph.reset();
    GraphExec exec = instantiate(clone);
    Stream stream = make_stream();
    run(exec, stream);
    EXPECT_EQ(bytes[0], 6);
    EXPECT_EQ(bytes[1], 0);
}

} // namespace gs::test
