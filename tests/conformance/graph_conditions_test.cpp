// SPDX-License-Identifier: Apache-2.0
// Conditional nodes: IF with and without else, WHILE, SWITCH, and the words that decide.
#include "conformance/graph_building.hpp"

namespace gs::test {
namespace {

gs_node_t set_condition(gs_graph_t graph, const Nodes &after, gs_graph_t owner, gs_node_t condition,
                        const uint32_t *word) {
    gs_node_t node = 0;
    EXPECT_OK(gs_graph_add_node(graph, after.data(), after.size(), set_condition_node(owner, condition, word), &node));
    return node;
}

} // namespace

TEST_P(Conformance, RowGraph_IfAndElse) {
    GS_NEEDS_CONDITIONS();
    Words words(4);
    Graph graph = make_graph();
    const Condition either = add_condition(graph, {}, GS_CONDITION_IF, 0, 2);
    set_condition(graph, {}, graph, either.node, words.at(0));
    add_memset(either.bodies[0], {}, words.at(1), 1, 1);
    add_memset(either.bodies[1], {}, words.at(2), 1, 1);
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    for (const uint32_t word : {0u, 1u, 0x80000000u, 0u}) {
        words.set(0, word);
        words.set(1, 0);
        words.set(2, 0);
        run(exec, stream);
        EXPECT_EQ(words[1], word ? 1u : 0u) << word;
        EXPECT_EQ(words[2], word ? 0u : 1u) << word;
    }
}

TEST_P(Conformance, RowGraph_InitialConditionsHoldAtEveryLaunch) {
    GS_NEEDS_CONDITIONS();
    Words words(2);
    Graph graph = make_graph();
    const Condition on = add_condition(graph, {}, GS_CONDITION_IF, 1, 1);
    const Condition off = add_condition(graph, {}, GS_CONDITION_IF, 0, 1);
    add_memset(on.bodies[0], {}, words.at(0), 1, 1);
    add_memset(off.bodies[0], {}, words.at(1), 1, 1);
    set_condition(on.bodies[0], {}, graph, on.node, words.at(1)); // to 0, for the rest of this launch
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    for (int i = 0; i < 2; ++i) {
        words.set(0, 0);
        run(exec, stream);
        EXPECT_EQ(words[0], 1u);
        EXPECT_EQ(words[1], 0u);
    }
}

TEST_P(Conformance, RowGraph_ConditionsAllowOneExecutableAtATime) {
    GS_NEEDS_CONDITIONS();
    Words words(1);
    Graph graph = make_graph();
    add_memset(graph, {}, words.at(0), 0, 1);
    GraphExec exec = instantiate(graph);
    const Condition on = add_condition(graph, {}, GS_CONDITION_IF, 1, 1);
    add_memset(on.bodies[0], {}, words.at(0), 1, 1);
    gs_graph_exec_t second = nullptr;
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_graph_instantiate(graph, 0, &second)) << "the one from before them lives";
    exec = {};
    exec = instantiate(graph);
    EXPECT_STATUS(GS_ERROR_NOT_SUPPORTED, gs_graph_instantiate(graph, 0, &second));
    exec = {};
    EXPECT_TRUE(instantiate(graph));
}

TEST_P(Conformance, RowGraph_WhileRunsUntilTheWordIsZero) {
    GS_NEEDS_CONDITIONS();
    Kernels kernels(GetParam());
    Words words(3);
    Graph graph = make_graph();
    const Condition loop = add_condition(graph, {}, GS_CONDITION_WHILE, 0, 1);
    set_condition(graph, {}, graph, loop.node, words.at(0));
    uint32_t *counter = words.at(0), *rounds = words.at(1);
    void *of_counter[] = {&counter}, *of_rounds[] = {&rounds};
    const gs_node_t counted = add_kernel(loop.bodies[0], {}, kernels["add_one"], of_counter);
    add_kernel(loop.bodies[0], {}, kernels["add_one"], of_rounds);
    set_condition(loop.bodies[0], {counted}, graph, loop.node, words.at(0));
    add_memcpy(graph, {loop.node}, words.at(2), words.at(1), 4);
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    for (const uint32_t wanted : {5u, 0u, 1u}) {
        words.set(0, 0u - wanted); // it counts up to 0
        words.set(1, 0);
        run(exec, stream);
        EXPECT_EQ(words[0], 0u);
        EXPECT_EQ(words[1], wanted);
        EXPECT_EQ(words[2], wanted) << "what comes after the loop sees its last round";
    }
}

TEST_P(Conformance, RowGraph_SwitchRunsOneBodyOrNone) {
    GS_NEEDS_CONDITIONS();
    Words words(5);
    Graph graph = make_graph();
    const Condition choice = add_condition(graph, {}, GS_CONDITION_SWITCH, 0, 3);
    set_condition(graph, {}, graph, choice.node, words.at(0));
    for (size_t i = 0; i < 3; ++i) add_memset(choice.bodies[i], {}, words.at(1 + i), 1, 1);
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    for (const uint32_t word : {0u, 1u, 2u, 3u, 0xFFFFFFFFu}) {
        words.set(0, word);
        for (size_t i = 1; i < 4; ++i) words.set(i, 0);
        run(exec, stream);
        for (uint32_t i = 0; i < 3; ++i) EXPECT_EQ(words[1 + i], i == word ? 1u : 0u) << word;
    }
}

TEST_P(Conformance, RowGraph_ConditionsInBodies) {
    GS_NEEDS_CONDITIONS();
    Kernels kernels(GetParam());
    Words words(3);
    Graph graph = make_graph();
    // while (++word0) if (word1) ++word2
    const Condition loop = add_condition(graph, {}, GS_CONDITION_WHILE, 1, 1);
    uint32_t *counter = words.at(0), *hits = words.at(2);
    void *of_counter[] = {&counter}, *of_hits[] = {&hits};
    const gs_graph_t body = loop.bodies[0];
    const Condition inner = add_condition(body, {}, GS_CONDITION_IF, 0, 1);
    set_condition(body, {}, body, inner.node, words.at(1));
    add_kernel(inner.bodies[0], {}, kernels["add_one"], of_hits);
    const gs_node_t counted = add_kernel(body, {inner.node}, kernels["add_one"], of_counter);
    set_condition(body, {counted}, graph, loop.node, words.at(0));
    GraphExec exec = instantiate(graph);
    Stream stream = make_stream();
    for (const uint32_t on : {1u, 0u}) {
        words.set(0, 0u - 4);
        words.set(1, on);
        words.set(2, 0);
        run(exec, stream);
        EXPECT_EQ(words[0], 0u);
        EXPECT_EQ(words[2], on ? 4u : 0u);
    }
    EXPECT_EQ(info_of(graph).has_conditions, 1);
    EXPECT_EQ(info_of(body).is_body, 1);
    EXPECT_EQ(info_of(graph, loop.node).condition_kind, GS_CONDITION_WHILE);
    EXPECT_EQ(info_of(graph, loop.node).body_count, 1u);
    EXPECT_EQ(info_of(graph, loop.node).initial, 1u);
}

TEST_P(Conformance, RowGraph_BodiesAreBorrowed) {
    GS_NEEDS_CONDITIONS();
    Graph graph = make_graph(), other = make_graph();
    const Condition condition = add_condition(graph, {}, GS_CONDITION_IF, 0, 1);
    const gs_graph_t body = condition.bodies[0];
    gs_graph_exec_t exec = nullptr;
    gs_node_t node = 0;
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_destroy, "part of another", body);
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_instantiate, "part of another", body, 0, &exec);
    EXPECT_FAILS(GS_ERROR_NOT_PERMITTED, gs_graph_add_node, "body", other, nullptr, 0, graph_node(body), &node);
    gs_graph_t copy = nullptr;
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_clone, "condition", graph, &copy);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "condition", other, nullptr, 0, graph_node(graph), &node);
    Event event = make_event();
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "body", body, nullptr, 0, record_node(event), &node);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "body", body, nullptr, 0, wait_node(event), &node);
    EXPECT_FAILS(GS_ERROR_NOT_SUPPORTED, gs_graph_add_node, "body", body, nullptr, 0, host_node([](void *) {}, nullptr),
                 &node);
    graph.reset();
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_add_node(body, nullptr, 0, empty_node(), &node));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_destroy(body));
}

TEST_P(Conformance, RowGraph_ConditionsAreChecked) {
    GS_NEEDS_CONDITIONS();
    Words words(2);
    Graph graph = make_graph(), other = make_graph();
    gs_node_t node = 0;
    const auto refused = [&](int32_t kind, size_t count) {
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT,
                      gs_graph_add_node(graph, nullptr, 0, condition_node(kind, 0, count), &node));
    };
    refused(-1, 1);
    refused(3, 1);
    refused(GS_CONDITION_IF, 0);
    refused(GS_CONDITION_IF, 3);
    refused(GS_CONDITION_WHILE, 2);
    refused(GS_CONDITION_SWITCH, 0);
    refused(GS_CONDITION_SWITCH, 1025);
    refused(GS_CONDITION_SWITCH, UINT32_MAX);
    EXPECT_EQ(info_of(graph).node_count, 0u);

    const gs_node_t plain = add_empty(graph);
    const Condition first = add_condition(graph, {plain}, GS_CONDITION_IF, 0, 1);
    const gs_node_t after = add_empty(graph, {first.node});
    const auto bad_word = reinterpret_cast<const uint32_t *>(reinterpret_cast<const char *>(words.at(0)) + 1);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT,
                  gs_graph_add_node(graph, nullptr, 0, set_condition_node(graph, first.node, nullptr), &node));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT,
                  gs_graph_add_node(graph, nullptr, 0, set_condition_node(graph, first.node, bad_word), &node));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT,
                  gs_graph_add_node(graph, nullptr, 0, set_condition_node(graph, plain, words.at(0)), &node));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT,
                  gs_graph_add_node(other, nullptr, 0, set_condition_node(other, first.node, words.at(0)), &node));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT,
                  gs_graph_add_node(other, nullptr, 0, set_condition_node(graph, first.node, words.at(0)), &node));
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_graph_add_node, "cycle", graph, &after, 1,
                 set_condition_node(graph, first.node, words.at(0)), &node);
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_graph_add_node, "cycle", graph, &first.node, 1,
                 set_condition_node(graph, first.node, words.at(0)), &node);
    EXPECT_EQ(info_of(graph).node_count, 3u) << "a refused node is not added";
}

TEST_P(Conformance, RowGraph_BodiesAreListed) {
    GS_NEEDS_CONDITIONS();
    Graph graph = make_graph(), other = make_graph();
    const gs_node_t plain = add_empty(graph);
    const Condition choice = add_condition(graph, {plain}, GS_CONDITION_SWITCH, 2, 3);
    gs_graph_t found[2] = {};
    size_t count = 7;
    ASSERT_OK(gs_graph_node_bodies(graph, choice.node, nullptr, 0, &count));
    EXPECT_EQ(count, 3u);
    ASSERT_OK(gs_graph_node_bodies(graph, choice.node, found, 2, &count));
    EXPECT_EQ(count, 3u);
    EXPECT_EQ(found[0], choice.bodies[0]);
    EXPECT_EQ(found[1], choice.bodies[1]);
    ASSERT_OK(gs_graph_node_bodies(graph, plain, found, 2, &count));
    EXPECT_EQ(count, 0u);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_graph_node_bodies(other, choice.node, found, 2, &count));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_graph_node_bodies(graph, choice.node, nullptr, 2, &count));
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_graph_node_bodies(graph, choice.node, found, 2, nullptr));
    EXPECT_STATUS(GS_ERROR_INVALID_HANDLE, gs_graph_node_bodies(nullptr, choice.node, found, 2, &count));
    EXPECT_EQ(count, 0u);
}

} // namespace gs::test
