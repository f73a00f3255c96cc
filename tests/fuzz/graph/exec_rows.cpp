// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <iterator>

#include "fuzz/graph/draw.hpp"
#include "fuzz/graph/rows.hpp"
#include "fuzz/harness.hpp"
#include "support/nodes.hpp"

namespace gs::fuzz {
namespace {

void instantiate(Arguments &a) {
    const auto graph = a.handle<gs_graph_t>("graph");
    const uint8_t chosen = a.byte();
    const uint32_t flags = chosen < 0xF0 ? chosen % 4 : chosen;
    gs_graph_exec_t *out = a.handle_output<gs_graph_exec_t>("out_exec");
    a.returned(gs_graph_instantiate(graph, flags, out));
    if (flags > 3) FUZZ_REQUIRE(a.status() != GS_OK, a.detail() + " with unknown flags");
    if (a.status() == GS_OK) GraphProgram::of(a).graphs.instantiate(a.output_handle(), a.input_handle(0));
}

void launch(Arguments &a) {
    make_generated("gs_graph_exec_launch", a);
    if (a.status() != GS_OK) return;
    GraphModel &graphs = GraphProgram::of(a).graphs;
    graphs.launch(a.input_handle(0));
    const auto stream = reinterpret_cast<gs_stream_t>(a.stream_name(0).first); // NOLINT
    for (const Allocated &one : graphs.allocated(a.input_handle(0)))
        FUZZ_REQUIRE(gs_free_async(one.pointer, stream) == GS_OK, a.detail() + ": memory that the graph allocated");
}

void update(Arguments &a) {
    const auto exec = a.handle<gs_graph_exec_t>("exec");
    const auto graph = a.handle<gs_graph_t>("graph");
    auto *result = a.struct_output<gs_graph_update_t>("out_result");
    a.returned(gs_graph_exec_update(exec, graph, result));
    if (a.status() != GS_OK) return;
    int32_t reason = -1;
    if (result->struct_size < offsetof(gs_graph_update_t, reason) + sizeof reason) {
        gs_graph_update_t whole{};
        whole.struct_size = sizeof whole;
        FUZZ_REQUIRE(gs_graph_exec_update(exec, graph, &whole) == GS_OK, a.detail() + ": the second time");
        reason = whole.reason;
    } else {
        reason = result->reason;
    }
    if (reason == GS_UPDATE_OK) GraphProgram::of(a).graphs.update(a.input_handle(0), a.input_handle(1), a.detail());
}

// A change of a node of the graph that the executable was made from. `make` draws what the node gets.
template <typename Make>
gs_node_t change(Arguments &a, Make make) {
    const auto exec = a.handle<gs_graph_exec_t>("exec");
    const uint64_t source = GraphProgram::of(a).graphs.source(a.input_handle(0));
    const gs_node_t node = draw_node(a, source);
    a.depends_on_more_than_handles(); // also the graph must be alive
    a.returned(make(exec, node));
    const auto &own = GraphProgram::of(a).shape(source).nodes;
    const bool is_own = std::find(own.begin(), own.end(), node) != own.end();
    if (!is_own) FUZZ_REQUIRE(a.status() != GS_OK, a.detail() + " for a node of another graph");
    return a.status() == GS_OK ? node : 0;
}

void set_kernel(Arguments &a) {
    const gs_launch_config_t config = draw_config(a);
    change(a, [&](gs_graph_exec_t exec, gs_node_t node) {
        const auto kernel = a.handle<gs_kernel_t>("kernel");
        return gs_graph_exec_set_node(exec, node, test::kernel_node(kernel, &config, g_kernel_arguments));
    });
}

void set_copy(Arguments &a) {
    const Range to = draw_range(a, g_area.target), from = draw_range(a, g_area.source);
    const size_t bytes = std::min(to.bytes, from.bytes);
    const gs_node_t node = change(a, [&](gs_graph_exec_t exec, gs_node_t which) {
        return gs_graph_exec_set_node(exec, which, test::copy_node(to.pointer, from.pointer, bytes));
    });
    if (!to.pointer || !from.pointer || bytes == 0 || bytes > kAreaBytes) FUZZ_REQUIRE(node == 0, a.detail());
}

void set_fill(Arguments &a) {
    const Range to = draw_range(a, g_area.target);
    const auto value = a.number<int32_t>("value");
    const gs_node_t node = change(a, [&](gs_graph_exec_t exec, gs_node_t which) {
        return gs_graph_exec_set_node(exec, which, test::fill_node(to.pointer, value, to.bytes));
    });
    if (to.is_wrong() || value < 0 || value > 255) FUZZ_REQUIRE(node == 0, a.detail());
}

void set_host(Arguments &a) {
    const bool null = a.byte() == 0xFF;
    GraphModel &graphs = GraphProgram::of(a).graphs;
    Function *function = graphs.new_function();
    const gs_node_t node = change(a, [&](gs_graph_exec_t exec, gs_node_t which) {
        return gs_graph_exec_set_node(exec, which, test::host_node(null ? nullptr : Function::run, function));
    });
    FUZZ_REQUIRE(!null || node == 0, "a function that is NULL");
    if (node != 0) graphs.set_function(a.input_handle(0), node, function, a.detail());
}

void set_event(Arguments &a, int32_t kind) {
    const gs_node_t node = change(a, [&](gs_graph_exec_t exec, gs_node_t which) {
        return gs_graph_exec_set_node(exec, which, test::event_node(kind, a.handle<gs_event_t>("event")));
    });
    if (node != 0) a.program().model.set_held(a.input_handle(1));
}

void set_any(Arguments &a) { // mostly zeros
    change(a, [&](gs_graph_exec_t exec, gs_node_t which) {
        return gs_graph_exec_set_node(exec, which, a.struct_input<gs_node_params_t>("params"));
    });
}

// The kind is drawn first.
void set_node(Arguments &a) {
    constexpr void (*kKinds[])(Arguments &) = {set_any,
                                               set_kernel,
                                               set_copy,
                                               set_fill,
                                               set_host,
                                               [](Arguments &one) { set_event(one, GS_NODE_RECORD); },
                                               [](Arguments &one) { set_event(one, GS_NODE_WAIT); }};
    kKinds[a.byte() % std::size(kKinds)](a);
}

void enable(Arguments &a) {
    const int32_t on = a.byte() % 4;
    const gs_node_t node =
        change(a, [&](gs_graph_exec_t exec, gs_node_t which) { return gs_graph_exec_enable_node(exec, which, on); });
    if (on > 1) FUZZ_REQUIRE(node == 0, a.detail());
}

} // namespace

std::vector<SpecialCall> exec_rows() {
    return {{"gs_graph_instantiate", instantiate},
            {"gs_graph_exec_launch", launch},
            {"gs_graph_exec_update", update},
            {"gs_graph_exec_set_node", set_node},
            {"gs_graph_exec_enable_node", enable}};
}

} // namespace gs::fuzz
