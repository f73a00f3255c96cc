// SPDX-License-Identifier: Apache-2.0
// Graphs as a whole.
#include <algorithm>

#include "fuzz/graph/draw.hpp"
#include "fuzz/graph/rows.hpp"
#include "fuzz/harness.hpp"
#include "fuzz/texts.hpp"

namespace gs::fuzz {
namespace {

void create(Arguments &a) {
    const gs_device_t device = a.device();
    const auto flags = static_cast<uint32_t>(a.byte() < 0xF0 ? 0 : 1);
    gs_graph_t *out = a.handle_output<gs_graph_t>("out_graph");
    a.returned(gs_graph_create(device, flags, out));
    if (flags != 0) FUZZ_REQUIRE(a.status() != GS_OK, a.detail());
}

// Numbers that no driver's graph has: a wrong address that could be one is the caller's fault.
void wrap(Arguments &a) {
    constexpr uintptr_t kNone[] = {0, 1, 4095, 4097, uintptr_t{1} << 48, ~uintptr_t{0}};
    const gs_device_t device = a.device();
    const uintptr_t native = kNone[a.byte() % std::size(kNone)];
    gs_graph_t *out = a.handle_output<gs_graph_t>("out_graph");
    a.depends_on_more_than_handles();
    a.returned(gs_graph_from_native(device, native, out));
    FUZZ_REQUIRE(a.status() != GS_OK, a.detail());
}

void clone(Arguments &a) {
    make_generated("gs_graph_clone", a);
    if (a.status() != GS_OK) return;
    GraphProgram &program = GraphProgram::of(a);
    const auto &original = program.shape(a.input_handle(0)).nodes;
    const GraphProgram::Shape copy = GraphProgram::ask(a.output_handle());
    FUZZ_REQUIRE(copy.nodes.size() == original.size(), a.detail() + ": another number of nodes");
    std::vector<std::pair<gs_node_t, gs_node_t>> nodes;
    for (size_t i = 0; i < original.size(); ++i) nodes.emplace_back(original[i], copy.nodes[i]);
    program.graphs.copy(a.output_handle(), a.input_handle(0), nodes);
}

void keep(Arguments &a) {
    const auto graph = a.handle<gs_graph_t>("graph");
    const bool null = a.byte() == 0xFF;
    GraphModel &graphs = GraphProgram::of(a).graphs;
    Kept *kept = graphs.new_kept();
    a.returned(gs_graph_keep(graph, null ? nullptr : Kept::release, kept));
    FUZZ_REQUIRE(!null || a.status() != GS_OK, "a release that is NULL");
    if (a.status() == GS_OK) graphs.keep(kept, a.input_handle(0));
}

using List = gs_status_t (*)(gs_graph_t, gs_node_t *, size_t, size_t *);

void list(Arguments &a, List function, size_t step) {
    const auto graph = a.handle<gs_graph_t>("graph");
    const NodeRoom room(a);
    size_t *count = a.output<size_t>("out_count");
    a.returned(function(graph, room.data(), room.capacity(), count));
    room.check(a, a.status() == GS_OK ? *count : 0, step);
}

template <typename Ask>
void ask_of_node(Arguments &a, Ask ask) {
    const auto graph = a.handle<gs_graph_t>("graph");
    const gs_node_t node = draw_node(a, a.input_handle(0));
    ask(graph, node);
    const auto &own = GraphProgram::of(a).shape(a.input_handle(0)).nodes;
    const bool is_own = std::find(own.begin(), own.end(), node) != own.end();
    if (!is_own) FUZZ_REQUIRE(a.status() != GS_OK, a.detail() + " for a node of another graph");
}

void node_info(Arguments &a) {
    ask_of_node(a, [&](gs_graph_t graph, gs_node_t node) {
        a.returned(gs_graph_node_info(graph, node, a.struct_output<gs_node_params_t>("out_info")));
    });
}

void node_bodies(Arguments &a) {
    ask_of_node(a, [&](gs_graph_t graph, gs_node_t node) {
        const NodeRoom room(a);
        size_t *count = a.output<size_t>("out_count");
        auto *bodies = reinterpret_cast<gs_graph_t *>(room.data()); // numbers, as nodes are
        a.returned(gs_graph_node_bodies(graph, node, bodies, room.capacity(), count));
        room.check(a, a.status() == GS_OK ? *count : 0, 1);
    });
}

void node_native(Arguments &a) {
    ask_of_node(a, [&](gs_graph_t graph, gs_node_t node) {
        a.returned(gs_graph_node_native(graph, node, a.output<uintptr_t>("out_native")));
    });
}

struct Text {
    std::string all;
    uint32_t left; // pieces, before it refuses
    bool refused = false;
};

gs_status_t write_text(void *opaque, const char *text, size_t bytes) {
    Text &target = *static_cast<Text *>(opaque);
    FUZZ_REQUIRE(!target.refused, "gs_graph_write_dot: write was called again after it refused");
    target.refused = target.left == 0;
    if (target.refused) return GS_ERROR_TIMEOUT; // one that the call has not by itself
    --target.left;
    target.all.append(text, bytes);
    return GS_OK;
}

void write_dot(Arguments &a) {
    const auto graph = a.handle<gs_graph_t>("graph");
    const uint8_t chosen = a.byte();
    Text text{{}, chosen < 0x80 ? ~uint32_t{0} : chosen % 8u};
    if (chosen >= 0x80) a.expect_any_status();
    a.returned(gs_graph_write_dot(graph, chosen == 0xFF ? nullptr : write_text, &text));
    FUZZ_REQUIRE(text.refused == (a.status() == GS_ERROR_TIMEOUT), a.detail() + ": the status of write");
    FUZZ_REQUIRE(is_text(text.all), printable(text.all));
    const bool whole = text.all.rfind("digraph", 0) == 0 && text.all.find('}') != std::string::npos;
    if (a.status() == GS_OK) FUZZ_REQUIRE(whole && chosen != 0xFF, printable(text.all));
}

} // namespace

std::vector<SpecialCall> graph_rows() {
    return {{"gs_graph_create", create},
            {"gs_graph_from_native", wrap},
            {"gs_graph_clone", clone},
            {"gs_graph_keep", keep},
            {"gs_graph_nodes", [](Arguments &a) { list(a, gs_graph_nodes, 1); }},
            {"gs_graph_edges", [](Arguments &a) { list(a, gs_graph_edges, 2); }},
            {"gs_graph_node_info", node_info},
            {"gs_graph_node_bodies", node_bodies},
            {"gs_graph_node_native", node_native},
            {"gs_graph_write_dot", write_dot}};
}

} // namespace gs::fuzz
