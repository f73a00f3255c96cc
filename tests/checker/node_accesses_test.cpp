// SPDX-License-Identifier: Apache-2.0
// Accesses that are declared for nodes which were added one by one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checker/graphs.hpp"

namespace gs::check::test {
namespace {

using ::testing::HasSubstr;

class CheckPatternOfNodes : public GraphPattern {
protected:
    // A node of which the library knows nothing, as of a kernel's, that writes or reads all of `to`.
    gs_node_t add_writer(gs_graph_t graph, const char *label, const Nodes &after = {}) const {
        const gs_node_t node = add_empty(graph, after);
        EXPECT_OK(gs_graph_check_write(graph, node, to, kBytes, label));
        return node;
    }
    gs_node_t add_reader(gs_graph_t graph, const char *label, const Nodes &after = {}) const {
        const gs_node_t node = add_empty(graph, after);
        EXPECT_OK(gs_graph_check_read(graph, node, to, kBytes, label));
        return node;
    }
};

TEST_F(CheckPatternOfNodes, ABranchWithoutAnEdge) {
    for (const bool edge : {true, false}) {
        Checking checking;
        const Graph graph = make_graph();
        const gs_node_t written = add_writer(graph, "producer");
        const gs_node_t read = add_reader(graph, "consumer", edge ? Nodes{written} : Nodes{});
        EXPECT_EQ(checking.count(), 0u) << "nothing runs yet";
        const Exec exec = instantiate(graph);
        EXPECT_EQ(checking.count(), 0u) << "nor now";
        ASSERT_OK(gs_graph_exec_launch(exec, compute));
        ASSERT_OK(gs_graph_exec_launch(exec, compute));
        const auto reports = checking.reports();
        ASSERT_EQ(reports.size(), edge ? 0u : 1u);
        if (edge) continue;
        EXPECT_THAT(reports[0].text, HasSubstr("\"producer\""));
        EXPECT_THAT(reports[0].text, HasSubstr("\"consumer\""));
        EXPECT_THAT(reports[0].text, HasSubstr("node " + std::to_string(written) + " of a graph in stream"));
        EXPECT_THAT(reports[0].text, HasSubstr("Both are in one launch"));
        EXPECT_THAT(reports[0].json, HasSubstr("\"node\":" + std::to_string(read)));
    }
}

TEST_F(CheckPatternOfNodes, ALaunchAndTheWorkAroundIt) {
    Checking checking;
    const Graph graph = make_graph();
    add_writer(graph, "kernel");
    const Exec exec = instantiate(graph);
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    fork(compute, side);
    ASSERT_OK(gs_check_read(side, to, 1, "after it"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_read(copy, static_cast<char *>(to) + kBytes, 1, "beside its memory"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_read(copy, static_cast<char *>(to) + kBytes - 1, 1, "too early"));
    EXPECT_EQ(checking.count(), 1u);
    ASSERT_OK(gs_graph_exec_launch(exec, side));
    EXPECT_EQ(checking.count(), 1u) << "it writes what copy reads, at this launch as well";
}

// Copies and fills are known without being declared; what is declared beside them adds to that.
TEST_F(CheckPatternOfNodes, BesideWhatIsKnown) {
    Checking checking;
    const Graph graph = make_graph();
    const gs_node_t filled = add_fill(graph, other_to, {});
    ASSERT_OK(gs_graph_check_read(graph, filled, from, kBytes, "a table"));
    ASSERT_OK(gs_graph_check_read(graph, filled, to, kBytes, "another one"));
    ASSERT_OK(gs_graph_exec_launch(instantiate(graph), compute));
    for (void *memory : {to, from, other_to}) ASSERT_OK(gs_check_write(side, memory, kBytes, "beside it"));
    EXPECT_EQ(checking.count(), 3u);
}

TEST_F(CheckPatternOfNodes, ExecutablesThatAreMadeOrUpdatedAfterwards) {
    Checking checking;
    const Graph graph = make_graph();
    const gs_node_t first = add_empty(graph, {}), second = add_empty(graph, {});
    const Exec before = instantiate(graph);
    ASSERT_OK(gs_graph_check_write(graph, first, to, kBytes, "first"));
    ASSERT_OK(gs_graph_check_write(graph, second, to, kBytes, "second"));
    ASSERT_OK(gs_graph_exec_launch(before, compute));
    EXPECT_EQ(checking.count(), 0u);
    gs_graph_update_t result{};
    result.struct_size = sizeof result;
    ASSERT_OK(gs_graph_exec_update(before, graph, &result));
    ASSERT_OK(gs_graph_exec_launch(before, compute));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternOfNodes, AChangedNodeHasNewAccesses) {
    Checking checking;
    const Graph graph = make_graph();
    const gs_node_t filled = add_fill(graph, other_to, {});
    ASSERT_OK(gs_graph_check_read(graph, filled, from, kBytes, "a table"));
    const Exec exec = instantiate(graph);
    ASSERT_OK(gs_graph_exec_set_node(exec, filled, fill_node(to, 1, kBytes)));
    ASSERT_OK(gs_graph_exec_launch(exec, compute));
    ASSERT_OK(gs_check_write(side, from, kBytes, "the table is not read any more"));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_write(side, to, kBytes, "beside the fill"));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternOfNodes, ClonesAndChildrenHaveThem) {
    Checking checking;
    const Graph inner = make_graph();
    add_writer(inner, "inside");
    gs_graph_t cloned = nullptr;
    ASSERT_OK(gs_graph_clone(inner, &cloned));
    const Graph clone(cloned);
    for (const bool edge : {true, false}) {
        const Graph graph = make_graph();
        gs_node_t first = 0, second = 0;
        ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, graph_node(inner), &first));
        ASSERT_OK(gs_graph_add_node(graph, &first, edge ? 1 : 0, graph_node(clone), &second));
        ASSERT_OK(gs_graph_exec_launch(instantiate(graph), compute));
        EXPECT_EQ(checking.count(), edge ? 0u : 1u);
    }
    add_reader(inner, "added later", {}); // the clone does not change
    ASSERT_OK(gs_graph_exec_launch(instantiate(clone), compute));
    EXPECT_EQ(checking.count(), 0u);
}

TEST_F(CheckPatternOfNodes, BodiesOfConditions) {
    Checking checking;
    const Graph graph = make_graph();
    gs_node_t condition = 0;
    gs_graph_t bodies[2] = {};
    const gs_status_t status = add_condition(graph, nullptr, 0, GS_CONDITION_IF, 1, &condition, bodies, 2);
    if (status == GS_ERROR_NOT_SUPPORTED) GTEST_SKIP() << "no conditional nodes";
    ASSERT_OK(status);
    add_writer(bodies[0], "then");
    const gs_node_t other_body = add_writer(bodies[1], "else");
    EXPECT_EQ(gs_graph_check_read(graph, other_body, to, kBytes, nullptr), GS_ERROR_INVALID_ARGUMENT)
        << "a node of another graph";
    add_reader(graph, "behind it", {condition});
    ASSERT_OK(gs_graph_exec_launch(instantiate(graph), compute));
    EXPECT_EQ(checking.count(), 0u);
    ASSERT_OK(gs_check_read(side, to, kBytes, "beside it"));
    EXPECT_EQ(checking.count(), 1u) << "with what the bodies write";
}

// A graph into which a stream is captured takes both kinds of declarations.
TEST_F(CheckPatternOfNodes, InAGraphThatIsCapturedInto) {
    Checking checking;
    const Graph graph = make_graph();
    const gs_node_t written = add_writer(graph, "a node");
    ASSERT_OK(gs_stream_begin_capture_to(compute, graph, nullptr, 0, GS_CAPTURE_THREAD_LOCAL));
    ASSERT_OK(gs_check_read(compute, to, kBytes, "captured"));
    ASSERT_OK(gs_memset_async(other_to, 1, kBytes, compute));
    ASSERT_OK(gs_graph_check_read(graph, written, from, kBytes, "declared during it"));
    const Graph ended = end_capture(compute);
    ASSERT_OK(gs_graph_exec_launch(instantiate(graph), copy));
    const auto reports = checking.reports();
    ASSERT_EQ(reports.size(), 1u);
    EXPECT_THAT(reports[0].text, HasSubstr("\"captured\""));
    ASSERT_OK(gs_check_write(side, from, kBytes, "beside it"));
    EXPECT_EQ(checking.count(), 1u);
}

TEST_F(CheckPatternOfNodes, BadInputWithTheCheckerOnAndOff) {
    const Graph graph = make_graph(), other_graph = make_graph();
    const gs_node_t node = add_empty(graph, {}), stranger = add_empty(other_graph, {});
    const auto end = reinterpret_cast<void *>(UINTPTR_MAX - 15);
    for (const bool on : {false, true}) {
        if (on) ASSERT_OK(gs_check_start(0));
        for (auto *declare : {gs_graph_check_read, gs_graph_check_write}) {
            EXPECT_EQ(declare(graph, stranger, to, kBytes, "x"), GS_ERROR_INVALID_ARGUMENT);
            EXPECT_EQ(declare(graph, 0, to, kBytes, "x"), GS_ERROR_INVALID_ARGUMENT);
            EXPECT_EQ(declare(graph, node, nullptr, 1, "x"), GS_ERROR_INVALID_ARGUMENT);
            EXPECT_EQ(declare(graph, node, end, 16, "x"), GS_ERROR_INVALID_ARGUMENT);
            EXPECT_OK(declare(graph, node, end, 15, nullptr));
            EXPECT_OK(declare(graph, node, nullptr, 0, nullptr));
            EXPECT_EQ(declare(nullptr, node, to, kBytes, "x"), GS_ERROR_INVALID_HANDLE);
        }
    }
    ASSERT_OK(gs_check_stop());
}

// What ended with its graph is not found in the next graph of the same place.
TEST_F(CheckPatternOfNodes, EndWithTheirGraph) {
    Checking checking;
    for (int i = 0; i < 8; ++i) {
        const Graph graph = make_graph();
        add_writer(graph, "of this round");
        const Exec exec = instantiate(graph);
        ASSERT_OK(gs_graph_exec_launch(exec, compute));
    }
    EXPECT_EQ(checking.count(), 0u) << "one stream orders them";
    const Graph graph = make_graph();
    add_empty(graph, {});
    ASSERT_OK(gs_graph_exec_launch(instantiate(graph), side));
    EXPECT_EQ(checking.count(), 0u);
}

} // namespace
} // namespace gs::check::test
