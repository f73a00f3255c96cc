// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>

#include "fuzz/graph/draw.hpp"
#include "fuzz/graph/rows.hpp"
#include "fuzz/harness.hpp"
#include "support/nodes.hpp"

namespace gs::fuzz {
namespace {

struct Place {
    gs_graph_t graph;
    const gs_node_t *after;
    size_t count;
    gs_node_t *out;
};

// Draws what all of these calls have, makes the call (a status, from a Place) and checks what all of them promise. Returns
// the new node; 0: it was refused.
template <typename Make>
gs_node_t add(Arguments &a, Make make) {
    const auto graph = a.handle<gs_graph_t>("graph");
    const uint64_t handle = a.input_handle(0);
    const NodeList after(a, handle);
    GraphProgram::of(a).adds_to(handle, 1);
    gs_node_t *out = a.output<gs_node_t>("out_node");
    a.returned(make(Place{graph, after.data(), after.count(), out}));
    if (after.is_wrong() || after.names_one_twice())
        FUZZ_REQUIRE(a.status() != GS_OK, a.detail() + " with wrong predecessors");
    if (a.status() != GS_OK) return 0;
    const auto now = GraphProgram::ask(handle);
    FUZZ_REQUIRE(std::find(now.nodes.begin(), now.nodes.end(), *out) != now.nodes.end(), a.detail() + ": no such node");
    for (size_t i = 0; i < after.count(); ++i)
        FUZZ_REQUIRE(now.edges.count({after.data()[i], *out}) != 0, a.detail() + ": an edge is missing");
    return *out;
}

gs_status_t make(const Place &at, const gs_node_params_t *params) {
    return gs_graph_add_node(at.graph, at.after, at.count, params, at.out);
}

// Mostly zeros.
void any(Arguments &a) {
    add(a, [&](const Place &at) { return make(at, a.struct_input<gs_node_params_t>("params")); });
}

void empty(Arguments &a) {
    add(a, [](const Place &at) { return make(at, test::empty_node()); });
}

void host(Arguments &a) {
    const bool null = a.byte() == 0xFF;
    GraphModel &graphs = GraphProgram::of(a).graphs;
    Function *function = graphs.new_function();
    const gs_node_t node =
        add(a, [&](const Place &at) { return make(at, test::host_node(null ? nullptr : Function::run, function)); });
    FUZZ_REQUIRE(!null || node == 0, "a function that is NULL");
    if (node != 0) graphs.add_function(a.input_handle(0), node, function);
}

void kernel(Arguments &a) {
    const gs_launch_config_t config = draw_config(a);
    const gs_node_t node = add(a, [&](const Place &at) {
        const auto kernel = a.handle<gs_kernel_t>("kernel");
        return make(at, test::kernel_node(kernel, &config, g_kernel_arguments));
    });
    if (config.block_x == 0) FUZZ_REQUIRE(node == 0, a.detail());
}

void copy(Arguments &a) {
    const Range to = draw_range(a, g_area.target), from = draw_range(a, g_area.source);
    const size_t bytes = std::min(to.bytes, from.bytes);
    const gs_node_t node =
        add(a, [&](const Place &at) { return make(at, test::copy_node(to.pointer, from.pointer, bytes)); });
    if (!to.pointer || !from.pointer || bytes == 0 || bytes > kAreaBytes) FUZZ_REQUIRE(node == 0, a.detail());
}

void fill(Arguments &a) {
    const Range to = draw_range(a, g_area.target);
    const auto value = a.number<int32_t>("value");
    const gs_node_t node =
        add(a, [&](const Place &at) { return make(at, test::fill_node(to.pointer, value, to.bytes)); });
    if (to.is_wrong() || value < 0 || value > 255) FUZZ_REQUIRE(node == 0, a.detail());
}

// The graph retains the event.
void event(Arguments &a, int32_t kind) {
    const gs_node_t node =
        add(a, [&](const Place &at) { return make(at, test::event_node(kind, a.handle<gs_event_t>("event"))); });
    if (node != 0) a.program().model.set_held(a.input_handle(1));
}

void child(Arguments &a) {
    const gs_node_t node =
        add(a, [&](const Place &at) { return make(at, test::graph_node(a.handle<gs_graph_t>("child"))); });
    if (node != 0) GraphProgram::of(a).graphs.add_child(a.input_handle(0), a.input_handle(1));
}

// A WHILE begins with a condition that ends it at once: nothing in these programs would.
void condition(Arguments &a) {
    const uint8_t chosen = a.byte(), count = a.byte();
    const int32_t kind = chosen < 0xF0 ? chosen % 3 : chosen - 0xF4;
    const uint32_t initial = kind == GS_CONDITION_WHILE ? 0 : chosen / 3 % 4;
    const size_t bodies = count < 0xF0 ? count % 3 : count < 0xFE ? 1025 : 5;
    const gs_node_t node =
        add(a, [&](const Place &at) { return make(at, test::condition_node(kind, initial, bodies)); });
    if (bodies == 0 || bodies > 1024 || kind < 0 || kind > 2) FUZZ_REQUIRE(node == 0, a.detail());
    if (node == 0) return;
    std::vector<gs_graph_t> out(bodies);
    size_t found = 0;
    const auto graph = reinterpret_cast<gs_graph_t>(a.input_handle(0)); // NOLINT: a handle is a number
    FUZZ_REQUIRE(gs_graph_node_bodies(graph, node, out.data(), bodies, &found) == GS_OK && found == bodies, a.detail());
    for (const gs_graph_t body : out) {
        const auto handle = reinterpret_cast<uint64_t>(body);
        GraphProgram::of(a).model.borrowed("graph", handle, a.input_handle(0));
        GraphProgram::of(a).graphs.inside(handle, a.input_handle(0));
    }
    GraphProgram::of(a).conditions[node] = kind;
}

void set_condition(Arguments &a) {
    const uint8_t chosen = a.byte();
    GraphProgram &program = GraphProgram::of(a);
    const gs_node_t node = add(a, [&](const Place &at) {
        const auto owner = a.handle<gs_graph_t>("owner");
        const gs_node_t condition = draw_node(a, a.input_handle(1));
        const auto known = program.conditions.find(condition);
        const bool any_word = known != program.conditions.end() && known->second != GS_CONDITION_WHILE;
        const auto *word = reinterpret_cast<const char *>(g_area.words + (any_word ? chosen % std::size(kWords) : 0));
        if (chosen >= 0xF0) word = chosen == 0xFF ? nullptr : word + 1;
        return make(at, test::set_condition_node(owner, condition, word));
    });
    if (chosen >= 0xF0) FUZZ_REQUIRE(node == 0, a.detail());
}

// The kind is drawn first.
void add_node(Arguments &a) {
    constexpr void (*kKinds[])(Arguments &) = {any,
                                               empty,
                                               host,
                                               kernel,
                                               copy,
                                               fill,
                                               child,
                                               condition,
                                               set_condition,
                                               [](Arguments &one) { event(one, GS_NODE_RECORD); },
                                               [](Arguments &one) { event(one, GS_NODE_WAIT); }};
    kKinds[a.byte() % std::size(kKinds)](a);
}

} // namespace

std::vector<SpecialCall> node_rows() { return {{"gs_graph_add_node", add_node}}; }

} // namespace gs::fuzz
