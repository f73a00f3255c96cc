// SPDX-License-Identifier: Apache-2.0
#include "fuzz/graph/draw.hpp"
#include "fuzz/graph/rows.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

using Effect = CaptureWatch::Effect;

int32_t draw_mode(Arguments &a) {
    const uint8_t chosen = a.byte();
    return chosen < 0xF0 ? chosen % 3 : chosen - 0xF3; // -3 and more
}

void begin(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    const int32_t mode = draw_mode(a);
    GraphProgram::of(a).affects(Effect::Begins, a.input_handle(0));
    a.returned(gs_stream_begin_capture(stream, mode));
}

void begin_to(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    const auto graph = a.handle<gs_graph_t>("graph");
    const NodeList after(a, a.input_handle(1));
    const int32_t mode = draw_mode(a);
    GraphProgram::of(a).affects(Effect::Begins, a.input_handle(0));
    a.returned(gs_stream_begin_capture_to(stream, graph, after.data(), after.count(), mode));
    if (after.is_wrong()) FUZZ_REQUIRE(a.status() != GS_OK, a.detail() + " with nodes of no graph");
}

// The graph comes out that was captured, with a reference. A body stays its parent's.
void end(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    GraphProgram &program = GraphProgram::of(a);
    const uint64_t captured = program.captured_into(a.input_handle(0));
    program.affects(Effect::Ends, a.input_handle(0));
    gs_graph_t *out = a.handle_output<gs_graph_t>("out_graph");
    if (program.graphs.is_body(captured)) a.depends_on_more_than_handles(); // the graph around it may be destroyed
    a.returned(gs_stream_end_capture(stream, out));
    if (a.status() != GS_OK) return;
    FUZZ_REQUIRE(a.output_handle() == captured, a.detail() + ": another graph than the one that was captured into");
    if (!program.graphs.is_body(captured)) program.model.gained("graph", captured);
}

void abort(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    GraphProgram::of(a).affects(Effect::Aborts, a.input_handle(0));
    a.returned(gs_stream_abort_capture(stream));
}

void list_nodes(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    const NodeRoom room(a);
    size_t *count = a.output<size_t>("out_count");
    a.returned(gs_stream_capture_nodes(stream, room.data(), room.capacity(), count));
    room.check(a, a.status() == GS_OK ? *count : 0, 1);
}

void set_nodes(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    const NodeList nodes(a, GraphProgram::of(a).captured_into(a.input_handle(0)));
    const auto add = a.number<int32_t>("add");
    a.returned(gs_stream_set_capture_nodes(stream, nodes.data(), nodes.count(), add));
    if (nodes.is_wrong()) FUZZ_REQUIRE(a.status() != GS_OK, a.detail() + " with nodes of another graph");
}

// A stream that waits may join a capture. Events that graphs use live on after their last reference.
void wait(const char *name, Arguments &a) {
    make_generated(name, a);
    GraphProgram &program = GraphProgram::of(a);
    const uint64_t stream = a.stream_name(0).first;
    program.affects(Effect::Begins, stream);
    program.adds_to(program.captured_into(stream), -1);
    if (a.status() != GS_OK) return;
    for (size_t i = 0; i < 2; ++i)
        if (a.input_kind(i) == "event") program.model.set_held(a.input_handle(i));
}

} // namespace

#define GS_WAITS(function) {#function, [](Arguments &a) { wait(#function, a); }}

std::vector<SpecialCall> capture_rows() {
    return {{"gs_stream_begin_capture", begin},
            {"gs_stream_begin_capture_to", begin_to},
            {"gs_stream_end_capture", end},
            {"gs_stream_abort_capture", abort},
            {"gs_stream_capture_nodes", list_nodes},
            {"gs_stream_set_capture_nodes", set_nodes},
            GS_WAITS(gs_event_record),
            GS_WAITS(gs_stream_record_event),
            GS_WAITS(gs_event_wait),
            GS_WAITS(gs_stream_wait_event),
            GS_WAITS(gs_stream_wait_stream)};
}

} // namespace gs::fuzz
