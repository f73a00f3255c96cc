// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "fuzz/graph/draw.hpp"
#include "fuzz/graph/rows.hpp"
#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

// The call is about to put work into its first stream. Returns the graph of which it becomes a node; 0: it is executed.
uint64_t expect_nodes(const Arguments &a, int nodes) {
    GraphProgram &program = GraphProgram::of(a);
    const uint64_t graph = program.captured_into(a.stream_name(0).first);
    program.adds_to(graph, nodes);
    return graph;
}

void launch_host(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    const bool null = a.byte() == 0xFF;
    GraphProgram &program = GraphProgram::of(a);
    const uint64_t graph = expect_nodes(a, 1);
    Function *function = program.graphs.new_function();
    a.returned(gs_stream_launch_host(stream, null ? nullptr : Function::run, function));
    FUZZ_REQUIRE(!null || a.status() != GS_OK, "a function that is NULL");
    if (a.status() != GS_OK) return;
    if (graph != 0)
        program.graphs.add_function(graph, program.captured_node(a.stream_name(0).first), function);
    else
        ++function->due;
}

// In a capture the graph keeps the function.
void defer(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    const bool null = a.byte() == 0xFF;
    GraphProgram &program = GraphProgram::of(a);
    const uint64_t graph = program.captured_into(a.stream_name(0).first);
    Kept *kept = program.graphs.new_kept();
    a.returned(gs_stream_defer(stream, null ? nullptr : Kept::release, kept));
    FUZZ_REQUIRE(!null || a.status() != GS_OK, "a function that is NULL");
    if (a.status() != GS_OK) return;
    if (graph != 0)
        program.graphs.keep(kept, graph);
    else
        kept->due = true;
}

void copy(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    const Range to = draw_range(a, g_area.target), from = draw_range(a, g_area.source);
    const size_t bytes = std::min(to.bytes, from.bytes);
    expect_nodes(a, bytes > 0);
    a.returned(gs_memcpy_async(to.pointer, from.pointer, bytes, stream));
    const bool wrong = bytes > kAreaBytes || (bytes > 0 && (!to.pointer || !from.pointer));
    if (wrong) FUZZ_REQUIRE(a.status() != GS_OK, "a range that cannot be");
}

void fill(Arguments &a) {
    const auto stream = a.handle<gs_stream_t>("stream");
    const Range to = draw_range(a, g_area.target);
    const auto value = a.number<int32_t>("value");
    expect_nodes(a, to.bytes > 0);
    a.returned(gs_memset_async(to.pointer, value, to.bytes, stream));
    if (value < 0 || value > 255 || (to.is_wrong() && to.bytes > 0)) FUZZ_REQUIRE(a.status() != GS_OK, a.detail());
}

void launch_kernel(Arguments &a) {
    const auto kernel = a.handle<gs_kernel_t>("kernel");
    const auto stream = a.handle<gs_stream_t>("stream");
    const gs_launch_config_t config = draw_config(a);
    expect_nodes(a, 1);
    a.returned(gs_kernel_launch(kernel, &config, g_kernel_arguments, stream));
    if (config.block_x == 0 || config.struct_size != sizeof config) FUZZ_REQUIRE(a.status() != GS_OK, a.detail());
}

void sleep(Arguments &a) {
    make_generated("gs_stream_sleep", a);
    expect_nodes(a, -1); // none for 0 cycles
}

// Captured memory is the graph's: it is freed in the same capture, by the stream that allocated it, or after each launch.
void malloc(Arguments &a) {
    const size_t bytes = a.byte() * 2u + 1;
    const auto stream = a.handle<gs_stream_t>("stream");
    GraphProgram &program = GraphProgram::of(a);
    const uint64_t graph = expect_nodes(a, 1);
    void **out = a.output<void *>("out_pointer");
    a.returned(gs_malloc_async(bytes, stream, out));
    if (a.status() != GS_OK) return;
    const Order::Name name = a.stream_name(0);
    if (graph != 0) {
        program.graphs.allocate(graph, {*out, name.first, program.capture_of(name.first)->id});
        return;
    }
    Program::Memory memory{*out, bytes, name, 0, false};
    const auto handle = reinterpret_cast<gs_stream_t>(name.first); // NOLINT
    FUZZ_REQUIRE(gs_stream_device(handle, &memory.device) == GS_OK, "gs_stream_device");
    program.memory.push_back(memory);
}

void free(Arguments &a) {
    const uint8_t chosen = a.byte();
    const auto stream = a.handle<gs_stream_t>("stream");
    GraphProgram &program = GraphProgram::of(a);
    const Order::Name name = a.stream_name(0);
    const uint64_t graph = expect_nodes(a, chosen < 0xC0 ? 1 : 0);
    void *pointer = nullptr;
    if (graph != 0) {
        for (const Allocated &one : program.graphs.allocated(graph))
            if (one.stream == name.first && one.capture == program.capture_of(name.first)->id) pointer = one.pointer;
    } else {
        for (const Program::Memory &one : program.memory)
            if (one.stream == name && name.first != 0) pointer = one.pointer;
    }
    if (chosen >= 0xC0) pointer = nullptr;
    if (!pointer) expect_nodes(a, 0);
    a.returned(gs_free_async(pointer, stream));
    if (a.status() != GS_OK || !pointer) return;
    if (graph != 0)
        program.graphs.free(graph, pointer);
    else
        std::erase_if(program.memory, [&](const Program::Memory &one) { return one.pointer == pointer; });
}

} // namespace

std::vector<SpecialCall> captured_work_rows() {
    return {{"gs_stream_launch_host", launch_host},
            {"gs_stream_defer", defer},
            {"gs_memcpy_async", copy},
            {"gs_memset_async", fill},
            {"gs_kernel_launch", launch_kernel},
            {"gs_stream_sleep", sleep},
            {"gs_malloc_async", malloc},
            {"gs_free_async", free}};
}

} // namespace gs::fuzz
