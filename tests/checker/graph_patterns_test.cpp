// SPDX-License-Identifier: Apache-2.0
// Races of graphs: between nodes of one launch, and between a launch and the work around it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/graphs.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;

class CheckPatternOfGraphs : public GraphPattern {};

TEST_F(CheckPatternOfGraphs, ABranchWithoutAnEdge) {
    Checking checking;
    const Graph graph = make_graph();
    const gs_node_t copied = add_copy(graph, to, from, {});
    add_copy(graph, other_to, to, {}); // reads what the first one writes
    const Exec exec = instantiate(graph);
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_THAT(reports[0].text, HasSubstr("node " + std::to_string(copied) + " of a graph in stream"));
    EXPECT_THAT(reports[0].text, HasSubstr(", launched by thread "));
    EXPECT_THAT(reports[0].text, HasSubstr("Both are in one launch"));
    EXPECT_THAT(reports[0].json, HasSubstr("\"node\":" + std::to_string(copied)));
    EXPECT_THAT(reports[0].json, HasSubstr("\"waited_before\":false"));
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 0u) << "the same pair is reported once";
}

TEST_F(CheckPatternOfGraphs, AnEdgeOrders) {
    Checking checking;
    const Graph graph = make_graph();
    const gs_node_t copied = add_copy(graph, to, from, {});
    add_copy(graph, other_to, to, {copied});
    const Exec exec = instantiate(graph);
    // Launches of one executable come one after the other, also in different streams.
    for (const gs_stream_t stream : {gs_stream_t{compute}, gs_stream_t{copy}, gs_stream_t{compute}})
        ASSERT_OK(gs_graph_exec_launch(exec, stream));
    EXPECT_EQ(checking.count(), 0u);
    const Exec second = instantiate(graph); // but those of two executables do not
    ASSERT_OK(gs_graph_exec_launch(second, copy));
    EXPECT_GT(checking.count(), 0u);
}

// Drivers leave launches of a graph without nodes out, so streams do not follow each other through them.
TEST_F(CheckPatternOfGraphs, AGraphWithoutNodesOrdersNothing) {
    Checking checking;
    const Graph graph = make_graph();
    const Exec exec = instantiate(graph);
    ASSERT_OK(gs_check_write(compute, to, kBytes, "result"));
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    ASSERT_OK(gs_graph_exec_launch(exec, copy));
    ASSERT_OK(gs_check_read(copy, to, kBytes, "result"));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternOfGraphs, ALaunchAndTheWorkAroundIt) {
    Checking checking;
    const Graph graph = make_graph();
    const gs_node_t first = add_copy(graph, to, from, {});
    const gs_node_t second = add_fill(graph, other_to, {}); // a second branch
    add_empty(graph, {first, second});
    const Exec exec = instantiate(graph);
    ASSERT_OK(gs_check_write(compute, from, kBytes, "input"));
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    ASSERT_OK(gs_check_read(compute, other_to, kBytes, "output"));
    ASSERT_OK(gs_event_record(event, compute));
    ASSERT_OK(gs_stream_wait_event(side, event));
    ASSERT_OK(gs_check_write(side, other_to, kBytes, "output again"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_write(copy, from, kBytes, "next input")); // waits for nothing
    EXPECT_EQ(checking.count(), 2u) << "with the input, and with the copy that reads it";
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 2u) << "the launch does not wait for side's write and copy's";
    ASSERT_OK(gs_stream_synchronize(compute));
    ASSERT_OK(gs_check_write(copy, to, kBytes, "seen by the thread"));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPatternOfGraphs, DeclaredInACaptureBeforeTheWorkAndAfterIt) {
    for (const bool after : {false, true}) {
        for (const bool waits : {true, false}) {
            Checking checking;
            ASSERT_OK(gs_stream_begin_capture(compute, GS_CAPTURE_THREAD_LOCAL));
            fork(compute, side);
            if (!after) ASSERT_OK(write(compute, "producer"));
            ASSERT_OK(gs_memset_async(to, 1, kBytes, compute));
            if (after) ASSERT_OK(write(compute, "producer"));
            if (waits) fork(compute, side);
            if (!after) ASSERT_OK(read(side, "consumer"));
            ASSERT_OK(gs_memset_async(other_to, 1, kBytes, side));
            if (after) ASSERT_OK(read(side, "consumer"));
            if (!waits) ASSERT_OK(gs_memset_async(to, 1, kBytes, compute));
            fork(side, compute);
            const Graph graph = end_capture(compute);
            EXPECT_EQ(checking.count(), 0u) << "nothing runs yet";
            const Exec exec = instantiate(graph);
            ASSERT_OK(gs_graph_exec_launch(exec, copy));
            ASSERT_OK(gs_graph_exec_launch(exec, copy));
            const auto reports = checking.reports();
            ASSERT_EQ(reports.size(), waits ? 0u : 1u) << "after: " << after;
            if (waits) continue;
            EXPECT_THAT(reports[0].text, HasSubstr("\"producer\""));
            EXPECT_THAT(reports[0].text, HasSubstr("\"consumer\""));
        }
    }
}

// The record is too early: it covers the work before the access only.
TEST_F(CheckPatternOfGraphs, ARecordInACaptureThatComesTooEarly) {
    Checking checking;
    ASSERT_OK(gs_stream_begin_capture(compute, GS_CAPTURE_THREAD_LOCAL));
    ASSERT_OK(gs_memset_async(to, 1, kBytes, compute));
    fork(compute, side);
    ASSERT_OK(write(compute, "producer"));
    ASSERT_OK(gs_memset_async(to, 1, kBytes, compute));
    ASSERT_OK(read(side, "consumer"));
    ASSERT_OK(gs_memset_async(other_to, 1, kBytes, side));
    fork(side, compute);
    const Graph graph = end_capture(compute);
    ASSERT_OK(gs_graph_exec_launch(instantiate(graph), copy));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternOfGraphs, DeclaredLastInACapture) {
    Checking checking;
    ASSERT_OK(gs_stream_begin_capture(compute, GS_CAPTURE_THREAD_LOCAL));
    ASSERT_OK(gs_memset_async(to, 1, kBytes, compute));
    ASSERT_OK(write(compute, "last"));
    const Graph graph = end_capture(compute);
    const Exec exec = instantiate(graph);
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    ASSERT_OK(read(copy, "too early"));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_THAT(reports[0].text, HasSubstr("\"last\""));
}

TEST_F(CheckPatternOfGraphs, ChangedAndSwitchedOffNodes) {
    Checking checking;
    const Graph graph = make_graph();
    const gs_node_t copied = add_copy(graph, to, from, {});
    const gs_node_t filled = add_fill(graph, to, {});
    const Exec exec = instantiate(graph);
    ASSERT_OK(gs_graph_exec_enable_node(exec, filled, 0));
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_graph_exec_enable_node(exec, filled, 1));
    ASSERT_OK(gs_graph_exec_set_node(exec, filled, fill_node(other_to, 1, kBytes)));
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_graph_exec_set_node(exec, copied, copy_node(other_to, from, kBytes)));
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 1u);
    const Graph apart = make_graph();
    add_copy(apart, to, from, {});
    add_fill(apart, other_to, {});
    gs_graph_update_t result{};
    result.struct_size = sizeof result;
    ASSERT_OK(gs_graph_exec_update(exec, apart, &result));
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPatternOfGraphs, ChildGraphsAndClones) {
    Checking checking;
    ASSERT_OK(gs_stream_begin_capture(compute, GS_CAPTURE_THREAD_LOCAL));
    ASSERT_OK(write(compute, "inside"));
    ASSERT_OK(gs_memset_async(to, 1, kBytes, compute));
    const Graph captured = end_capture(compute);
    gs_graph_t cloned = nullptr;
    ASSERT_OK(gs_graph_clone(captured, &cloned));
    const Graph clone(cloned);
    for (const bool edge : {true, false}) {
        const Graph graph = make_graph();
        gs_node_t first = 0, second = 0;
        ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, graph_node(captured), &first));
        ASSERT_OK(gs_graph_add_node(graph, &first, edge ? 1 : 0, graph_node(clone), &second));
        ASSERT_OK(gs_graph_exec_launch(instantiate(graph), compute));
        const size_t found = checking.count();
        EXPECT_EQ(found, edge ? 0u : 2u) << "the fills, and what was declared";
    }
}

TEST_F(CheckPatternOfGraphs, BodiesOfAConditionDoNotRaceWithEachOther) {
    Checking checking;
    Graph graph = make_graph();
    gs_node_t condition = 0;
    gs_graph_t bodies[2] = {};
    const gs_status_t status = add_condition(graph, nullptr, 0, GS_CONDITION_IF, 1, &condition, bodies, 2);
    if (status == GS_ERROR_NOT_SUPPORTED) GTEST_SKIP() << "no conditional nodes";
    ASSERT_OK(status);
    add_fill(bodies[0], to, {});
    add_fill(bodies[1], to, {});
    add_copy(graph, other_to, to, {condition});
    const Exec exec = instantiate(graph);
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_read(side, to, kBytes, "beside it"));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternOfGraphs, MemoryOfAGraph) {
    Checking checking;
    ASSERT_OK(gs_stream_begin_capture(compute, GS_CAPTURE_THREAD_LOCAL));
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(64, compute, &memory));
    fork(compute, side);
    ASSERT_OK(gs_memset_async(memory, 1, 64, side));
    ASSERT_OK(gs_event_record(other, side));
    ASSERT_OK(gs_memset_async(static_cast<char *>(memory) + 32, 1, 32, compute)); // races with the other half of side's
    ASSERT_OK(gs_stream_wait_event(compute, other));
    ASSERT_OK(gs_free_async(memory, compute));
    const Graph graph = end_capture(compute);
    const Exec exec = instantiate(graph);
    for (int i = 0; i < 3; ++i) ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternOfGraphs, FreedInAGraphWhileABranchUsesIt) {
    Checking checking;
    ASSERT_OK(gs_stream_begin_capture(compute, GS_CAPTURE_THREAD_LOCAL));
    void *memory = nullptr;
    ASSERT_OK(gs_malloc_async(64, compute, &memory));
    fork(compute, side);
    ASSERT_OK(gs_check_read(side, static_cast<char *>(memory) + 63, 1, "late reader"));
    ASSERT_OK(gs_memset_async(to, 1, kBytes, side));
    ASSERT_OK(gs_free_async(memory, compute));
    fork(side, compute);
    const Graph graph = end_capture(compute);
    ASSERT_OK(gs_graph_exec_launch(instantiate(graph), compute));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_THAT(reports[0].text, HasSubstr("free"));
}

// One with a host function is announced to the checker before the call: what it had taken is given back, and no more.
TEST_F(CheckPatternOfGraphs, ALaunchThatFails) {
    int32_t devices = 0;
    ASSERT_OK(gs_device_count(GS_BACKEND_DEFAULT, &devices));
    if (devices < 2) GTEST_SKIP() << "one device";
    gs_stream_t made = nullptr;
    ASSERT_OK(gs_stream_create(1, 0, 0, &made));
    const Stream elsewhere(made);
    Checking checking;
    const Graph graph = make_graph();
    gs_node_t called = 0;
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, host_node([](void *) {}, nullptr), &called));
    ASSERT_EQ(gs_graph_exec_launch(instantiate(graph), elsewhere), GS_ERROR_DEVICE_MISMATCH);
    ASSERT_OK(write(elsewhere, "one"));
    const Stream next = make_stream(0);
    ASSERT_OK(read(next, "two"));
    EXPECT_EQ(checking.count(), 1u) << "the new stream is not taken for the other one";
}

TEST_F(CheckPatternOfGraphs, AnExecutableFromBeforeTheCheckerIsNotKnown) {
    const Graph graph = make_graph();
    add_fill(graph, to, {});
    add_fill(graph, to, {});
    const Exec exec = instantiate(graph);
    Checking checking;
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_graph_exec_launch(instantiate(graph), compute));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternOfGraphs, EventsInAGraphOrder) {
    Checking checking;
    const Graph graph = make_graph();
    const gs_node_t filled = add_fill(graph, to, {});
    gs_node_t recorded = 0;
    ASSERT_OK(gs_graph_add_node(graph, &filled, 1, record_node(event), &recorded));
    ASSERT_OK(gs_graph_exec_launch(instantiate(graph), compute));
    ASSERT_OK(gs_stream_wait_event(side, event));
    ASSERT_OK(gs_check_read(side, to, kBytes, "after the record"));
    EXPECT_EQ(checking.count(), 0u);
}

} // namespace
} // namespace gs::check::test
