// SPDX-License-Identifier: Apache-2.0
// What a change of an executable brings in lives as long as the executable, whichever graph it was last updated by.
#include <atomic>
#include <thread>

#include "conformance/graph_building.hpp"

namespace gs::test {
namespace {

using Counter = std::atomic<int>;

void count_one_call(void *counter) { ++*static_cast<Counter *>(counter); }

void take_over(gs_graph_exec_t exec, gs_graph_t graph) {
    gs_graph_update_t result{};
    result.struct_size = sizeof result;
    ASSERT_OK(gs_graph_exec_update(exec, graph, &result));
    ASSERT_EQ(result.reason, GS_UPDATE_OK);
}

// The end of a graph without executables, told by the thread of the driver that also tells the end of those before it.
void let_ends_pass() {
    Counter released{0};
    Graph graph = make_graph();
    ASSERT_OK(gs_graph_keep(graph, count_one_call, &released));
    graph.reset();
    while (released == 0) std::this_thread::yield();
}

} // namespace

TEST_P(Conformance, Update_FunctionsThatAreSetAfterItLiveWithTheExecutable) {
    Counter first{0}, second{0}, set{0};
    Graph graph = make_graph(), other = make_graph();
    const gs_node_t node = add_host(graph, {}, count_one_call, &first);
    add_host(other, {}, count_one_call, &second);
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    take_over(exec, other);
    run(exec, stream);
    ASSERT_OK(gs_graph_exec_set_node(exec, node, host_node(count_one_call, &set)));
    graph.reset();
    other.reset();
    let_ends_pass();
    for (int i = 0; i < 3; ++i) run(exec, stream);
    EXPECT_EQ(first, 0);
    EXPECT_EQ(second, 1);
    EXPECT_EQ(set, 3);
}

TEST_P(Conformance, Update_EventsThatAreSetAfterItLiveWithTheExecutable) {
    Event first = make_event(), second = make_event();
    gs_event_t set = make_event().release();
    Graph graph = make_graph(), other = make_graph();
    gs_node_t node = 0, unused = 0;
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, record_node(first), &node));
    ASSERT_OK(gs_graph_add_node(other, nullptr, 0, record_node(second), &unused));
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    take_over(exec, other);
    ASSERT_OK(gs_graph_exec_set_node(exec, node, record_node(set)));
    graph.reset();
    let_ends_pass();
    // A handle lives as long as any reference does, also those of the library.
    ASSERT_OK(gs_event_destroy(set));
    EXPECT_OK(gs_event_retain(set)) << "the executable has it";
    run(exec, stream);
    EXPECT_TRUE(done(set));
    ASSERT_OK(gs_event_destroy(set));
}

} // namespace gs::test
