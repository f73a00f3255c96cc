// SPDX-License-Identifier: Apache-2.0
// The host backend's graphs as the core sees them: words in place of graphs or nodes, nodes of another graph, and what cannot
// be copied, put inside or disabled. The graph is afterwards as it was.
#include <gmock/gmock.h>

#include <cstring>
#include <vector>

#include "backend/host/host_backend.hpp"
#include "backend/host/host_graphs.hpp"
#include "base/status.hpp"

namespace gs::host {
namespace {

using ::testing::HasSubstr;

constexpr uintptr_t kNoSuchWord = 0xBAD0;

class HostGraphContract : public ::testing::Test {
protected:
    HostGraphContract() : backend_(host_backend()), graphs_(*backend_.graphs()), thread_(*this_thread()) {
        EXPECT_TRUE(backend_.start().ok());
    }
    void TearDown() override {
        for (const GraphRef &graph : made_) EXPECT_TRUE(graphs_.graph_destroy(thread_, graph).ok());
    }
    GraphRef graph() {
        GraphRef made{0, 0};
        EXPECT_TRUE(graphs_.graph_create(thread_, 0, &made.native).ok());
        made_.push_back(made);
        return made;
    }
    static NodeParams params(int32_t kind) {
        NodeParams made;
        made.kind = kind;
        made.host = {[](void *) {}, nullptr};
        made.fill = {&word_, 1, sizeof word_};
        made.copy = {&word_, &word_, sizeof word_};
        return made;
    }
    uintptr_t add(GraphRef to, int32_t kind = GS_NODE_EMPTY, const std::vector<uintptr_t> &after = {}) {
        uintptr_t node = 0;
        EXPECT_TRUE(graphs_.node_add(thread_, to, after.data(), after.size(), params(kind), &node).ok())
            << thread_.pending.message;
        return node;
    }
    uintptr_t condition(GraphRef in, uint32_t bodies, uintptr_t *out_bodies) {
        NodeParams made;
        uintptr_t node = 0;
        made.kind = GS_NODE_CONDITION;
        made.condition = {GS_CONDITION_SWITCH, 0, bodies, out_bodies};
        EXPECT_TRUE(graphs_.condition_create(thread_, in, 0, &made.condition.handle).ok());
        EXPECT_TRUE(graphs_.node_add(thread_, in, nullptr, 0, made, &node).ok());
        return node;
    }
    uintptr_t instantiate(GraphRef from) {
        uintptr_t exec = 0;
        GraphFailure failure;
        EXPECT_TRUE(graphs_.instantiate(thread_, from, 0, &exec, &failure).ok());
        return exec;
    }
    size_t edges(GraphRef of) {
        size_t count = 0;
        EXPECT_TRUE(graphs_.graph_edges(thread_, of, nullptr, nullptr, 0, &count).ok());
        return count;
    }
    size_t nodes(GraphRef of) {
        size_t count = 0;
        EXPECT_TRUE(graphs_.graph_nodes(thread_, of, nullptr, 0, &count).ok());
        return count;
    }
    void expect(Status status, gs_status_t wanted, const char *text) {
        EXPECT_EQ(status.code, wanted);
        EXPECT_EQ(thread_.pending.status, wanted);
        EXPECT_THAT(thread_.pending.message, HasSubstr(text));
    }

    static inline uint32_t word_ = 0;
    Backend &backend_;
    Graphs &graphs_;
    ThreadBlock &thread_;
    std::vector<GraphRef> made_;
};

TEST_F(HostGraphContract, NumbersThatAreNoGraph) {
    const GraphRef none{0, kNoSuchWord};
    const StreamRef stream{0, kNativePerThreadStream};
    const GraphRef real = graph();
    const GraphRef exec{0, instantiate(real)};
    uintptr_t out = 0;
    uint64_t handle = 0;
    size_t count = 0;
    GraphFailure failure;
    NodeParams child = params(GS_NODE_GRAPH);
    child.child = kNoSuchWord;
    for (const Status &status :
         {graphs_.graph_destroy(thread_, none), graphs_.graph_clone(thread_, none, &out),
          graphs_.graph_adopt(thread_, none),
          graphs_.graph_keep(
              thread_, kNoSuchWord, [](void *) {}, nullptr),
          graphs_.add_edges(thread_, none, nullptr, nullptr, 0), graphs_.graph_nodes(thread_, none, &out, 1, &count),
          graphs_.graph_edges(thread_, none, &out, &out, 1, &count),
          graphs_.node_add(thread_, none, nullptr, 0, params(GS_NODE_EMPTY), &out),
          graphs_.node_add(thread_, real, nullptr, 0, child, &out), graphs_.condition_create(thread_, none, 0, &handle),
          graphs_.instantiate(thread_, none, 0, &out, &failure),
          graphs_.exec_update(thread_, exec, kNoSuchWord, &failure), graphs_.exec_set_node(thread_, exec, 1, child),
          graphs_.capture_begin_to(thread_, stream, kNoSuchWord, nullptr, 0, GS_CAPTURE_GLOBAL)})
        EXPECT_EQ(status.code, GS_ERROR_INVALID_HANDLE);
    EXPECT_THAT(thread_.pending.message, HasSubstr("is not a graph of the host backend"));
    EXPECT_EQ(out, 0u);
    EXPECT_TRUE(graphs_.graph_adopt(thread_, real).ok());
    EXPECT_EQ(nodes(real), 0u);
    EXPECT_TRUE(graphs_.exec_destroy(thread_, exec).ok());
}

TEST_F(HostGraphContract, NumbersThatAreNoNode) {
    const GraphRef real = graph();
    const uintptr_t node = add(real);
    uintptr_t out = 0;
    NodeParams answer;
    const StreamRef stream{0, kNativePerThreadStream};
    for (const Status &status :
         {graphs_.node_add(thread_, real, &kNoSuchWord, 1, params(GS_NODE_EMPTY), &out),
          graphs_.add_edges(thread_, real, &kNoSuchWord, &node, 1),
          graphs_.add_edges(thread_, real, &node, &kNoSuchWord, 1),
          graphs_.node_params(thread_, real, kNoSuchWord, &answer),
          graphs_.set_capture_nodes(thread_, stream, &kNoSuchWord, 1, true),
          graphs_.capture_begin_to(thread_, stream, real.native, &kNoSuchWord, 1, GS_CAPTURE_GLOBAL)})
        EXPECT_EQ(status.code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(thread_.pending.message, HasSubstr("is not a node of a graph of the host backend"));
    EXPECT_EQ(nodes(real), 1u);
    EXPECT_EQ(edges(real), 0u);
    StreamCapture capture;
    EXPECT_TRUE(graphs_.capture(thread_, stream, &capture).ok());
    EXPECT_FALSE(capture.capturing());
}

TEST_F(HostGraphContract, NodesOfAnotherGraph) {
    const GraphRef one = graph(), two = graph();
    const uintptr_t foreign = add(two);
    uintptr_t out = 0, bodies[1] = {};
    NodeParams child = params(GS_NODE_GRAPH), decides = params(GS_NODE_CONDITION);
    child.child = two.native;
    decides.condition = {GS_CONDITION_IF, 0, 1, bodies};
    ASSERT_TRUE(graphs_.condition_create(thread_, one, 0, &decides.condition.handle).ok());
    for (const NodeParams &what : {params(GS_NODE_EMPTY), child, decides})
        expect(graphs_.node_add(thread_, one, &foreign, 1, what, &out), GS_ERROR_INVALID_ARGUMENT,
               "a node is not of this graph");
    EXPECT_EQ(nodes(one), 0u);
    EXPECT_TRUE(graphs_.node_add(thread_, one, nullptr, 0, decides, &out).ok()) << "its word was not used up";
    expect(graphs_.node_add(thread_, one, nullptr, 0, decides, &out), GS_ERROR_INVALID_ARGUMENT,
           "decides about a node already");
    expect(graphs_.node_add(thread_, two, nullptr, 0, decides, &out), GS_ERROR_INVALID_ARGUMENT,
           "a condition is another graph's");
    const StreamRef stream{0, kNativePerThreadStream};
    EXPECT_EQ(graphs_.capture_begin_to(thread_, stream, one.native, &foreign, 1, GS_CAPTURE_GLOBAL).code,
              GS_ERROR_INVALID_ARGUMENT);
}

TEST_F(HostGraphContract, EdgesAreAddedTogetherOrNotAtAll) {
    const GraphRef one = graph(), two = graph();
    const uintptr_t a = add(one), b = add(one, GS_NODE_EMPTY, {a}), c = add(one), foreign = add(two);
    const struct {
        uintptr_t from[2], to[2];
    } rows[] = {{{b, a}, {c, b}},       // the second one is there already
                {{b, c}, {c, c}},       // to itself
                {{b, foreign}, {c, c}}, // from another graph
                {{b, c}, {c, foreign}},
                {{b, b}, {c, c}}}; // twice the same
    for (const auto &row : rows) {
        expect(graphs_.add_edges(thread_, one, row.from, row.to, 2), GS_ERROR_INVALID_ARGUMENT, "edge");
        EXPECT_EQ(edges(one), 1u);
    }
    EXPECT_TRUE(graphs_.add_edges(thread_, one, rows[0].from, rows[0].to, 1).ok());
    EXPECT_EQ(edges(one), 2u);
}

TEST_F(HostGraphContract, ConditionsHaveAsManyBodiesAsTheirTypeAllows) {
    const GraphRef one = graph();
    uintptr_t bodies[4] = {}, out = 0;
    const struct {
        int32_t type;
        uint32_t bodies;
    } rows[] = {{GS_CONDITION_IF, 0}, {GS_CONDITION_IF, 3}, {GS_CONDITION_WHILE, 2}, {GS_CONDITION_SWITCH, 0}};
    for (const auto &row : rows) {
        NodeParams what = params(GS_NODE_CONDITION);
        what.condition = {row.type, 0, row.bodies, bodies};
        ASSERT_TRUE(graphs_.condition_create(thread_, one, 0, &what.condition.handle).ok());
        EXPECT_EQ(graphs_.node_add(thread_, one, nullptr, 0, what, &out).code, GS_ERROR_INVALID_ARGUMENT);
    }
    EXPECT_EQ(nodes(one), 0u);
}

// What drivers refuse: conditions in copies and child graphs, host functions and events in bodies.
TEST_F(HostGraphContract, WhatCannotBeCopiedOrPutInside) {
    const GraphRef outer = graph(), parent = graph(), functions = graph();
    uintptr_t bodies[2] = {}, out = 0;
    const uintptr_t node = condition(outer, 2, bodies);
    const GraphRef body{0, bodies[0]};
    add(functions, GS_NODE_HOST);
    NodeParams child = params(GS_NODE_GRAPH);
    child.child = outer.native;
    expect(graphs_.graph_clone(thread_, outer, &out), GS_ERROR_NOT_SUPPORTED, "cannot be copied");
    expect(graphs_.node_add(thread_, parent, nullptr, 0, child, &out), GS_ERROR_NOT_SUPPORTED, "cannot be copied");
    expect(graphs_.node_add(thread_, body, nullptr, 0, params(GS_NODE_HOST), &out), GS_ERROR_NOT_SUPPORTED, "bodies");
    child.child = functions.native;
    expect(graphs_.node_add(thread_, body, nullptr, 0, child, &out), GS_ERROR_NOT_SUPPORTED, "bodies");
    EXPECT_TRUE(graphs_.node_add(thread_, parent, nullptr, 0, child, &out).ok())
        << "a graph takes what a body does not";
    EXPECT_EQ(nodes(body), 0u);
    NodeParams answer;
    EXPECT_TRUE(graphs_.node_params(thread_, outer, node, &answer).ok());
    EXPECT_EQ(answer.kind, GS_NODE_CONDITION);
    // Parts of a graph are neither destroyed nor instantiated.
    GraphFailure failure;
    EXPECT_EQ(graphs_.graph_destroy(thread_, body).code, GS_ERROR_INVALID_ARGUMENT);
    expect(graphs_.instantiate(thread_, body, 0, &out, &failure), GS_ERROR_INVALID_ARGUMENT, "part of another graph");
    EXPECT_EQ(failure.reason, GS_UPDATE_ERROR);
    NodeParams unknown = params(GS_NODE_OTHER);
    expect(graphs_.node_add(thread_, parent, nullptr, 0, unknown, &out), GS_ERROR_INTERNAL, "have no parameters");
}

TEST_F(HostGraphContract, ACycleHasNoExecutable) {
    const GraphRef one = graph();
    const uintptr_t a = add(one), b = add(one, GS_NODE_EMPTY, {a});
    ASSERT_TRUE(graphs_.add_edges(thread_, one, &b, &a, 1).ok());
    uintptr_t exec = 0;
    GraphFailure failure;
    expect(graphs_.instantiate(thread_, one, 0, &exec, &failure), GS_ERROR_INVALID_ARGUMENT, "a cycle");
    EXPECT_EQ(exec, 0u);
}

TEST_F(HostGraphContract, NodesOfExecutablesAreChangedAndSwitched) {
    const GraphRef one = graph(), same = graph(), other = graph();
    const uintptr_t filled = add(one, GS_NODE_MEMSET), empty = add(one);
    add(same, GS_NODE_MEMSET);
    add(other, GS_NODE_EMPTY);
    NodeParams child = params(GS_NODE_GRAPH);
    child.child = same.native;
    uintptr_t inner = 0;
    ASSERT_TRUE(graphs_.node_add(thread_, one, nullptr, 0, child, &inner).ok());
    const GraphRef exec{0, instantiate(one)};
    bool enabled = false;
    for (const bool on : {false, true}) {
        EXPECT_TRUE(graphs_.exec_enable_node(thread_, exec, filled, on).ok());
        EXPECT_TRUE(graphs_.exec_node_enabled(thread_, exec, filled, &enabled).ok());
        EXPECT_EQ(enabled, on);
    }
    expect(graphs_.exec_enable_node(thread_, exec, empty, false), GS_ERROR_INVALID_ARGUMENT, "be disabled");
    expect(graphs_.exec_enable_node(thread_, exec, kNoSuchWord, false), GS_ERROR_INVALID_ARGUMENT, "be disabled");
    expect(graphs_.exec_node_enabled(thread_, exec, kNoSuchWord, &enabled), GS_ERROR_INVALID_ARGUMENT,
           "of another graph");
    EXPECT_TRUE(enabled);
    expect(graphs_.exec_set_node(thread_, exec, empty, params(GS_NODE_MEMSET)), GS_ERROR_INVALID_ARGUMENT,
           "of another kind");
    EXPECT_TRUE(graphs_.exec_set_node(thread_, exec, inner, child).ok());
    expect(graphs_.exec_set_node(thread_, exec, filled, child), GS_ERROR_INVALID_ARGUMENT, "of another kind");
    child.child = other.native;
    EXPECT_EQ(graphs_.exec_set_node(thread_, exec, inner, child).code, GS_ERROR_INVALID_ARGUMENT);
    EXPECT_TRUE(graphs_.exec_destroy(thread_, exec).ok());
}

TEST_F(HostGraphContract, ASetConditionIsKnownAsSuch) {
    const GraphRef one = graph();
    NodeParams set = params(GS_NODE_SET_CONDITION), answer;
    uintptr_t node = 0;
    ASSERT_TRUE(graphs_.condition_create(thread_, one, 0, &set.set_condition.handle).ok());
    set.set_condition.word = &word_;
    ASSERT_TRUE(graphs_.node_add(thread_, one, nullptr, 0, set, &node).ok());
    ASSERT_TRUE(graphs_.node_params(thread_, one, node, &answer).ok());
    EXPECT_EQ(answer.kind, GS_NODE_SET_CONDITION);
    EXPECT_EQ(answer.set_condition.handle, set.set_condition.handle);
    EXPECT_EQ(answer.set_condition.word, &word_);
}

} // namespace
} // namespace gs::host
