// SPDX-License-Identifier: Apache-2.0
// Graphs built node by node, launched and changed.
#include <atomic>
#include <deque>
#include <string>

#include "conformance/kernels.hpp"
#include "fault/scenario.hpp"
#include "support/launches.hpp"
#include "support/nodes.hpp"

namespace gs::test {
namespace {

using NodesGraph = Made<gs_graph_t, gs_graph_destroy>;
using NodesExec = Made<gs_graph_exec_t, gs_graph_exec_destroy>;

constexpr gs_launch_config_t kOne = launch_of(1, 1);

// What nodes work on lives as long as the process: a run that ends early may leave a launch behind.
struct Memory {
    uint32_t words[16] = {};
    std::atomic<int> calls{0};
};
Memory &fresh_memory() {
    static std::deque<Memory> all;
    return all.emplace_back();
}
void count(void *memory) { ++static_cast<Memory *>(memory)->calls; }

gs_status_t append(void *text, const char *piece, size_t bytes) {
    static_cast<std::string *>(text)->append(piece, bytes);
    return GS_OK;
}

// What the nodes of a graph refer to, and the graph.
struct Nodes {
    Memory &memory = fresh_memory();
    uint32_t *words = memory.words, *counter = words + 4;
    void *arguments[1] = {&counter};
    MadeStream stream;
    MadeEvent event;
    MadeModule module;
    gs_kernel_t kernel = nullptr;
    NodesGraph graph;
    gs_node_t fill = 0, copy = 0, add = 0, call = 0;

    explicit Nodes(Run &run)
        : stream(run, "gs_stream_destroy(stream)"), event(run, "gs_event_destroy(event)"),
          module(run, "gs_module_destroy(module)"), graph(run, "gs_graph_destroy(graph)") {
        make(run);
    }

private:
    void make(Run &run) {
        MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
        MAKE(event, gs_event_create(0, event.out()));
        MAKE(module, gs_module_load(0, kPtx, sizeof kPtx, module.out()));
        DO(gs_module_get_kernel(module, "add_one", run.out(&kernel)));
        MAKE(graph, gs_graph_create(0, 0, graph.out()));
        DO(gs_graph_add_node(graph, nullptr, 0, fill_node(words, 7, 4), run.out(&fill)));
        DO(gs_graph_add_node(graph, &fill, 1, copy_node(words + 1, words, 4), run.out(&copy)));
        DO(gs_graph_add_node(graph, &fill, 1, kernel_node(kernel, &kOne, arguments), run.out(&add)));
        DO(gs_graph_add_node(graph, &add, 1, host_node(count, &memory), run.out(&call)));
    }
};

void every_node(Run &run) {
    Nodes site(run);
    if (run.status != GS_OK) return;
    const NodesGraph &graph = site.graph;
    const uint32_t *words = site.words;
    NodesGraph child(run, "gs_graph_destroy(child)");
    MAKE(child, gs_graph_create(0, 0, child.out()));
    DO(gs_graph_set_name(child, "child"));
    gs_node_t node = 0, inside = 0, wait = 0, last = 0;
    DO(gs_graph_add_node(child, nullptr, 0, empty_node(), run.out(&node)));
    DO(gs_graph_add_node(graph, &site.call, 1, graph_node(child), run.out(&inside)));
    DO(gs_graph_add_node(graph, &inside, 1, wait_node(site.event), run.out(&wait)));
    DO(gs_graph_add_node(graph, &wait, 1, record_node(site.event), run.out(&last)));
    gs_graph_summary_t info{};
    info.struct_size = sizeof info;
    DO(gs_graph_info(graph, &info));
    run.require(info.node_count == 7 && info.edge_count == 6, "seven nodes, six edges");
    gs_node_t nodes[16] = {};
    size_t found = 0;
    DO(gs_graph_nodes(graph, nodes, 16, run.out(&found)));
    DO(gs_graph_edges(graph, nodes, 16, run.out(&found)));
    gs_node_params_t facts{};
    facts.struct_size = sizeof facts;
    DO(gs_graph_node_info(graph, last, &facts));
    run.require(facts.kind == GS_NODE_RECORD, "the kind of the last node");
    uintptr_t native = 0;
    DO(gs_graph_node_native(graph, last, run.out(&native)));
    std::string text;
    DO(gs_graph_write_dot(graph, append, &text));
    run.require(text.find("add_one") != std::string::npos, "the kernel's name in the text");
    NodesGraph copy(run, "gs_graph_destroy(copy)");
    MAKE(copy, gs_graph_clone(graph, copy.out()));
    NodesExec exec(run, "gs_graph_exec_destroy(exec)");
    MAKE(exec, gs_graph_instantiate(copy, 0, exec.out()));
    DO(gs_graph_exec_launch(exec, site.stream));
    DO(gs_stream_synchronize(site.stream));
    run.require(words[0] == 0x07070707 && words[1] == words[0] && words[4] == 1 && site.memory.calls == 1,
                "every node has run once");
}

void changes(Run &run) {
    Nodes site(run);
    if (run.status != GS_OK) return;
    const NodesGraph &graph = site.graph;
    uint32_t *words = site.words;
    gs_node_t record = 0, wait = 0;
    DO(gs_graph_add_node(graph, &site.call, 1, wait_node(site.event), run.out(&wait)));
    DO(gs_graph_add_node(graph, &wait, 1, record_node(site.event), run.out(&record)));
    NodesExec exec(run, "gs_graph_exec_destroy(exec)");
    MAKE(exec, gs_graph_instantiate(graph, 0, exec.out()));
    site.counter = words + 5;
    DO(gs_graph_exec_set_node(exec, site.fill, fill_node(words, 8, 4)));
    DO(gs_graph_exec_set_node(exec, site.copy, copy_node(words + 2, words, 4)));
    DO(gs_graph_exec_set_node(exec, site.add, kernel_node(site.kernel, &kOne, site.arguments)));
    DO(gs_graph_exec_set_node(exec, site.call, host_node(count, &site.memory)));
    DO(gs_graph_exec_set_node(exec, wait, wait_node(site.event)));
    DO(gs_graph_exec_set_node(exec, record, record_node(site.event)));
    DO(gs_graph_exec_enable_node(exec, site.fill, 0));
    DO(gs_graph_exec_enable_node(exec, site.fill, 1));
    DO(gs_graph_exec_launch(exec, site.stream));
    DO(gs_stream_synchronize(site.stream));
    run.require(words[2] == 0x08080808 && words[4] == 0 && words[5] == 1 && site.memory.calls == 1, "what was set");
    gs_graph_update_t result{};
    result.struct_size = sizeof result;
    DO(gs_graph_exec_update(exec, graph, &result));
    run.require(result.reason == GS_UPDATE_OK, "the update");
    DO(gs_graph_exec_launch(exec, site.stream));
    DO(gs_stream_synchronize(site.stream));
    run.require(words[1] == 0x07070707 && words[4] == 1, "what the graph says");
}

void conditions(Run &run) {
    Memory &memory = fresh_memory();
    uint32_t *words = memory.words;
    words[0] = 1;
    STREAM(stream);
    MAKE(stream, gs_stream_create(0, 0, 0, stream.out()));
    NodesGraph graph(run, "gs_graph_destroy(graph)");
    MAKE(graph, gs_graph_create(0, 0, graph.out()));
    gs_node_t condition = 0, node = 0;
    gs_graph_t bodies[2] = {};
    size_t found = 0;
    DO(gs_graph_add_node(graph, nullptr, 0, condition_node(GS_CONDITION_IF, 0, 2), run.out(&condition)));
    DO(gs_graph_node_bodies(graph, condition, bodies, 2, &found));
    DO(gs_graph_add_node(graph, nullptr, 0, set_condition_node(graph, condition, words), run.out(&node)));
    DO(gs_graph_add_node(bodies[0], nullptr, 0, fill_node(words + 1, 1, 4), run.out(&node)));
    DO(gs_graph_add_node(bodies[1], nullptr, 0, fill_node(words + 2, 1, 4), run.out(&node)));
    NodesExec exec(run, "gs_graph_exec_destroy(exec)");
    MAKE(exec, gs_graph_instantiate(graph, 0, exec.out()));
    DO(gs_graph_exec_launch(exec, stream));
    DO(gs_stream_synchronize(stream));
    run.require(words[1] == 0x01010101 && words[2] == 0, "the body of a condition that holds");
}

} // namespace

std::vector<Scenario> graph_node_scenarios() {
    return {{"graph_every_node", every_node}, {"graph_changes", changes}, {"graph_conditions", conditions}};
}

} // namespace gs::test
