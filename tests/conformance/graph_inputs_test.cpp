// SPDX-License-Identifier: Apache-2.0
// Inputs that are missing, structs of older and newer callers: for each function that adds a node, and those that describe.
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "conformance/graph_building.hpp"

namespace gs::test {
namespace {

void no_work_given(void *) {}

// A struct with some bytes behind it, as a caller has whose header is newer.
template <typename T>
struct NewerStruct {
    T known;
    unsigned char rest[16];

    explicit NewerStruct(size_t size) {
        std::memset(static_cast<void *>(this), 0xEE, sizeof *this);
        known.struct_size = static_cast<uint32_t>(size);
    }
};

} // namespace

TEST_P(Conformance, RowGraph_NodesWithoutPredecessorsThatWerePromised) {
    Kernels kernels(GetParam());
    Words words(2);
    Event event = make_event();
    Graph graph = make_graph(), child = make_graph();
    uint32_t *word = words.at(0);
    void *arguments[] = {&word};
    const gs_launch_config_t config = one_thread();
    const gs_kernel_t kernel = kernels["add_one"];
    gs_graph_t bodies[1] = {};
    gs_node_t before[2] = {add_empty(graph), 0};
    using Add = std::function<gs_status_t(const gs_node_t *after, size_t count, gs_node_t *out)>;
    std::vector<std::pair<const char *, Add>> calls = {
        {"add empty", [&](const gs_node_t *after, size_t count,
                          gs_node_t *out) { return gs_graph_add_node(graph, after, count, empty_node(), out); }},
        {"add host",
         [&](const gs_node_t *after, size_t count, gs_node_t *out) {
             return gs_graph_add_node(graph, after, count, host_node(no_work_given, nullptr), out);
         }},
        {"add kernel",
         [&](const gs_node_t *after, size_t count, gs_node_t *out) {
             return gs_graph_add_node(graph, after, count, kernel_node(kernel, &config, arguments), out);
         }},
        {"add memcpy",
         [&](const gs_node_t *after, size_t count, gs_node_t *out) {
             return gs_graph_add_node(graph, after, count, copy_node(words.at(0), words.at(1), 4), out);
         }},
        {"add memset",
         [&](const gs_node_t *after, size_t count, gs_node_t *out) {
             return gs_graph_add_node(graph, after, count, fill_node(words.at(0), 0, 4), out);
         }},
        {"add record", [&](const gs_node_t *after, size_t count,
                           gs_node_t *out) { return gs_graph_add_node(graph, after, count, record_node(event), out); }},
        {"add wait", [&](const gs_node_t *after, size_t count,
                         gs_node_t *out) { return gs_graph_add_node(graph, after, count, wait_node(event), out); }},
        {"add graph", [&](const gs_node_t *after, size_t count,
                          gs_node_t *out) { return gs_graph_add_node(graph, after, count, graph_node(child), out); }},
    };
    gs_node_t condition = 0;
    if (has_conditions()) {
        condition = add_condition(graph, {}, GS_CONDITION_IF, 0, 1).node;
        calls.emplace_back("add condition", [&](const gs_node_t *after, size_t count, gs_node_t *out) {
            return add_condition(graph, after, count, GS_CONDITION_IF, 0, out, bodies, 1);
        });
        calls.emplace_back("set condition", [&](const gs_node_t *after, size_t count, gs_node_t *out) {
            return gs_graph_add_node(graph, after, count, set_condition_node(graph, condition, words.at(1)), out);
        });
    }
    for (const auto &[name, call] : calls) {
        SCOPED_TRACE(name);
        const size_t present = info_of(graph).node_count;
        gs_node_t node = 7;
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, call(nullptr, 1, &node));
        EXPECT_NE(last_text().find("after is NULL"), std::string::npos) << last_text();
        EXPECT_EQ(node, 0u);
        EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, call(before, 1, nullptr));
        EXPECT_NE(last_text().find("out_node is NULL"), std::string::npos) << last_text();
        EXPECT_EQ(info_of(graph).node_count, present);
        EXPECT_OK(call(nullptr, 0, &node));
        before[1] = before[0];
        EXPECT_OK(call(before + 1, 1, before + 1)) << "the output may be among the inputs";
        EXPECT_EQ(info_of(graph, before[1]).predecessor_count, 1u);
        EXPECT_EQ(info_of(graph).node_count, present + 2);
    }
    EXPECT_EQ(bodies[0] != nullptr, condition != 0);
}

// An older caller's struct is filled as far as it goes, a newer one's is zero behind what the library knows.
TEST_P(Conformance, RowGraph_StructsOfOlderAndNewerCallers) {
    Bytes bytes(4);
    Graph graph = make_graph();
    const gs_node_t filled = add_memset(graph, {}, bytes.at(0), 7, 4);
    GraphExec exec = instantiate(graph);
    for (const bool newer : {false, true}) {
        NewerStruct<gs_graph_summary_t> summary(newer ? sizeof summary : offsetof(gs_graph_summary_t, edge_count));
        NewerStruct<gs_node_params_t> info(newer ? sizeof info : offsetof(gs_node_params_t, dst));
        NewerStruct<gs_graph_update_t> update(newer ? sizeof update : offsetof(gs_graph_update_t, node));
        ASSERT_OK(gs_graph_info(graph, &summary.known));
        ASSERT_OK(gs_graph_node_info(graph, filled, &info.known));
        ASSERT_OK(gs_graph_exec_update(exec, graph, &update.known));
        EXPECT_EQ(summary.known.node_count, 1u);
        EXPECT_EQ(info.known.kind, GS_NODE_MEMSET);
        EXPECT_EQ(update.known.reason, GS_UPDATE_OK);
        EXPECT_EQ(summary.rest[0], newer ? 0u : 0xEEu);
        EXPECT_EQ(info.rest[15], newer ? 0u : 0xEEu);
        EXPECT_EQ(update.rest[15], newer ? 0u : 0xEEu);
        const bool has_address = info.known.dst == bytes.at(0);
        EXPECT_EQ(has_address, newer) << "an older caller does not have that field";
    }
}

TEST_P(Conformance, RowGraph_LaunchesThatAreNotDescribed) {
    Kernels kernels(GetParam());
    Words words(1);
    uint32_t *word = words.at(0);
    void *arguments[] = {&word};
    Graph graph = make_graph();
    const gs_node_t counted = add_kernel(graph, {}, kernels["add_one"], arguments);
    GraphExec exec = instantiate(graph);
    const gs_launch_config_t config = one_thread();
    NewerStruct<gs_node_params_t> params(sizeof params);
    params.known = kernel_node(kernels["add_one"], &config, arguments).params;
    params.known.struct_size = sizeof params;
    std::memset(params.rest, 0, sizeof params.rest);
    params.rest[3] = 1;
    EXPECT_FAILS(GS_ERROR_INVALID_ARGUMENT, gs_graph_exec_set_node, "params is NULL", exec, counted, nullptr);
    EXPECT_STATUS(GS_ERROR_INVALID_ARGUMENT, gs_graph_exec_set_node(exec, counted, &params.known))
        << "it asks for something that this library does not know";
    params.rest[3] = 0;
    EXPECT_OK(gs_graph_exec_set_node(exec, counted, &params.known));
    Stream stream = make_stream();
    run(exec, stream);
    EXPECT_EQ(words[0], 1u);
}

} // namespace gs::test
