// SPDX-License-Identifier: Apache-2.0
// Calls on graphs and captures of a device that is lost: each says so and changes nothing. A hook of the host backend loses it.
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/captures.hpp"
#include "conformance/graph_building.hpp"
#include "support/host_hooks.hpp"
#include "support/own_process.hpp"

namespace gs::test {
namespace {

void no_work_lost(void *) {}
gs_status_t take_lost_text(void *, const char *, size_t) { return GS_OK; }

using LostCall = std::pair<const char *, std::function<gs_status_t()>>;

} // namespace

TEST_P(HostConformanceProcess, FaultGraph_EachCallOnALostDeviceSaysSo) {
    OWN_PROCESS();
    Kernels kernels(GetParam(), 0);
    Words words(4);
    Stream stream = make_stream(0);
    Event event = make_event();
    ASSERT_OK(gs_event_record(event, stream));
    ASSERT_OK(gs_stream_synchronize(stream));
    Graph graph = make_graph(0), child = make_graph(0);
    const Condition condition = add_condition(graph, {}, GS_CONDITION_IF, 0, 1);
    uint32_t *word = words.at(0);
    void *arguments[] = {&word};
    const gs_launch_config_t config = one_thread();
    const gs_kernel_t kernel = kernels["add_one"];
    const gs_node_t copied = add_memcpy(graph, {}, words.at(1), words.at(0), 4);
    const gs_node_t filled = add_memset(graph, {}, words.at(0), 0, 4);
    const gs_node_t counted = add_kernel(graph, {}, kernel, arguments);
    const gs_node_t called = add_host(graph, {}, no_work_lost, nullptr);
    gs_node_t recorded = 0, waited = 0, node = 0;
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, record_node(event), &recorded));
    ASSERT_OK(gs_graph_add_node(graph, nullptr, 0, wait_node(event), &waited));
    GraphExec exec = instantiate(graph);
    gs_graph_t made = nullptr, bodies[1] = {};
    gs_graph_exec_t none = nullptr;
    gs_graph_summary_t summary{};
    summary.struct_size = sizeof summary;
    gs_node_params_t info{};
    info.struct_size = sizeof info;
    gs_graph_update_t update{};
    update.struct_size = sizeof update;
    gs_node_t nodes[8] = {};
    size_t count = 0;
    const gs_graph_t body = condition.bodies[0];
    const std::vector<LostCall> calls = {
        {"gs_graph_create", [&] { return gs_graph_create(0, 0, &made); }},
        {"gs_graph_clone", [&] { return gs_graph_clone(child, &made); }},
        {"gs_graph_info", [&] { return gs_graph_info(graph, &summary); }},
        {"gs_graph_nodes", [&] { return gs_graph_nodes(graph, nodes, 8, &count); }},
        {"gs_graph_edges", [&] { return gs_graph_edges(graph, nodes, 8, &count); }},
        {"gs_graph_node_info", [&] { return gs_graph_node_info(graph, copied, &info); }},
        {"gs_graph_write_dot", [&] { return gs_graph_write_dot(graph, take_lost_text, nullptr); }},
        {"gs_graph_add_node", [&] { return gs_graph_add_node(graph, nullptr, 0, empty_node(), &node); }},
        {"gs_graph_add_node", [&] { return gs_graph_add_node(body, nullptr, 0, empty_node(), &node); }},
        {"gs_graph_add_node",
         [&] { return gs_graph_add_node(graph, nullptr, 0, host_node(no_work_lost, nullptr), &node); }},
        {"gs_graph_add_node",
         [&] { return gs_graph_add_node(graph, nullptr, 0, kernel_node(kernel, &config, arguments), &node); }},
        {"gs_graph_add_node",
         [&] { return gs_graph_add_node(graph, nullptr, 0, copy_node(words.at(1), words.at(0), 4), &node); }},
        {"gs_graph_add_node",
         [&] { return gs_graph_add_node(graph, nullptr, 0, fill_node(words.at(1), 0, 4), &node); }},
        {"gs_graph_add_node", [&] { return gs_graph_add_node(graph, nullptr, 0, record_node(event), &node); }},
        {"gs_graph_add_node", [&] { return gs_graph_add_node(graph, nullptr, 0, wait_node(event), &node); }},
        {"gs_graph_add_node", [&] { return gs_graph_add_node(graph, nullptr, 0, graph_node(child), &node); }},
        {"gs_graph_add_node", [&] { return add_condition(graph, nullptr, 0, GS_CONDITION_IF, 0, &node, bodies, 1); }},
        {"gs_graph_add_node",
         [&] {
             return gs_graph_add_node(graph, nullptr, 0, set_condition_node(graph, condition.node, words.at(0)), &node);
         }},
        {"gs_graph_instantiate", [&] { return gs_graph_instantiate(graph, 0, &none); }},
        {"gs_graph_exec_launch", [&] { return gs_graph_exec_launch(exec, stream); }},
        {"gs_graph_exec_upload", [&] { return gs_graph_exec_upload(exec, stream); }},
        {"gs_graph_exec_update", [&] { return gs_graph_exec_update(exec, graph, &update); }},
        {"gs_graph_exec_set_node",
         [&] { return gs_graph_exec_set_node(exec, counted, kernel_node(kernel, &config, arguments)); }},
        {"gs_graph_exec_set_node",
         [&] { return gs_graph_exec_set_node(exec, copied, copy_node(words.at(2), words.at(0), 4)); }},
        {"gs_graph_exec_set_node", [&] { return gs_graph_exec_set_node(exec, filled, fill_node(words.at(2), 0, 4)); }},
        {"gs_graph_exec_set_node",
         [&] { return gs_graph_exec_set_node(exec, called, host_node(no_work_lost, nullptr)); }},
        {"gs_graph_exec_set_node", [&] { return gs_graph_exec_set_node(exec, recorded, record_node(event)); }},
        {"gs_graph_exec_set_node", [&] { return gs_graph_exec_set_node(exec, waited, wait_node(event)); }},
        {"gs_graph_exec_enable_node", [&] { return gs_graph_exec_enable_node(exec, copied, 0); }},
        {"gs_stream_begin_capture", [&] { return gs_stream_begin_capture(stream, GS_CAPTURE_GLOBAL); }},
        {"gs_stream_begin_capture_to",
         [&] { return gs_stream_begin_capture_to(stream, child, nullptr, 0, GS_CAPTURE_GLOBAL); }},
    };
    const size_t before = info_of(graph).node_count;
    host::testing::lose_context(0, "the test's reset");
    for (const auto &[name, call] : calls) {
        SCOPED_TRACE(name);
        EXPECT_STATUS(GS_ERROR_CONTEXT_LOST, call());
        const gs_error_info_t error = last_error();
        EXPECT_STREQ(error.function, name);
        EXPECT_EQ(error.sticky, 1);
        EXPECT_NE(std::string(error.origin).find("the test's reset"), std::string::npos) << error.origin;
    }
    EXPECT_EQ(made, nullptr);
    EXPECT_EQ(none, nullptr);
    EXPECT_EQ(bodies[0], nullptr);
    EXPECT_EQ(node, 0u);
    host::testing::heal(0);
    EXPECT_EQ(info_of(graph).node_count, before) << "nothing was added";
    EXPECT_EQ(info_of(graph).edge_count, 0u);
    EXPECT_EQ(info_of(body).node_count, 0u);
    EXPECT_EQ(info_of(child).node_count, 0u);
    run(exec, stream);
}

} // namespace gs::test
