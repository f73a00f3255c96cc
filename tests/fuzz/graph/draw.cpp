// SPDX-License-Identifier: Apache-2.0
#include "fuzz/graph/draw.hpp"

#include <algorithm>
#include <cstdint>

#include "fuzz/harness.hpp"

namespace gs::fuzz {
namespace {

constexpr uint8_t kNull = 0xFF, kTooMany = 0xFE;
constexpr gs_node_t kGarbage = 0x5A5A5A5A5A5A5A5A;

// They live as long as graphs may: not every image says how large its kernels' arguments are.
uint32_t g_memory[64], *g_pointer = g_memory, g_base = 1, g_most = 16;

} // namespace

void *g_kernel_arguments[] = {&g_pointer, &g_base, &g_most};

gs_node_t draw_node(Arguments &a, uint64_t graph) {
    const GraphProgram &program = GraphProgram::of(a);
    const uint8_t chosen = a.byte();
    const std::vector<gs_node_t> &own = program.shape(graph).nodes, &all = program.all_nodes();
    if (chosen < 0xD0 && !own.empty()) return own[chosen % own.size()];
    if (chosen < 0xF0 && !all.empty()) return all[chosen % all.size()];
    constexpr gs_node_t kNone[] = {0, 1, ~gs_node_t{0}, gs_node_t{1} << 40};
    return kNone[chosen % std::size(kNone)];
}

NodeList::NodeList(Arguments &a, uint64_t graph) {
    const uint8_t chosen = a.byte();
    const size_t drawn = chosen % 4;
    nodes_ = std::make_unique<gs_node_t[]>(drawn);
    const std::vector<gs_node_t> &own = GraphProgram::of(a).shape(graph).nodes;
    for (size_t i = 0; i < drawn; ++i) {
        nodes_[i] = draw_node(a, graph);
        is_wrong_ = is_wrong_ || std::find(own.begin(), own.end(), nodes_[i]) == own.end();
        is_double_ = is_double_ || std::count(nodes_.get(), nodes_.get() + i, nodes_[i]) != 0;
    }
    is_null_ = chosen == kNull;
    count_ = chosen == kTooMany ? SIZE_MAX - drawn : drawn; // not so many are there
    is_wrong_ = is_wrong_ || (is_null_ && count_ > 0) || chosen == kTooMany;
}

NodeRoom::NodeRoom(Arguments &a) {
    const uint8_t chosen = a.byte();
    capacity_ = chosen % 32;
    is_null_ = chosen == kNull;
    room_ = std::make_unique<gs_node_t[]>(capacity_);
    std::fill_n(room_.get(), capacity_, kGarbage);
}

void NodeRoom::check(const Arguments &a, size_t count, size_t step) const {
    const size_t filled = a.status() == GS_OK ? std::min(count, capacity_ / step * step) : 0;
    for (size_t i = 0; i < capacity_; ++i)
        FUZZ_REQUIRE((room_[i] != kGarbage) == (i < filled) || (a.status() != GS_OK && room_[i] == 0),
                     a.detail() + ": element " + std::to_string(i) + " of " + std::to_string(filled));
    if (is_null_ && capacity_ > 0) FUZZ_REQUIRE(a.status() != GS_OK, a.detail() + " without room");
}

Range draw_range(Arguments &a, unsigned char *area) {
    constexpr size_t kOdd[] = {0, size_t{PTRDIFF_MAX} + 1, SIZE_MAX};
    const uint8_t chosen = a.byte();
    return {chosen == kNull ? nullptr : area, chosen < 0xF0 ? chosen * 4u + 4 : kOdd[chosen % std::size(kOdd)]};
}

gs_launch_config_t draw_config(Arguments &a) {
    const uint8_t chosen = a.byte();
    gs_launch_config_t config{};
    config.struct_size = chosen < 0xF0 ? sizeof config : chosen - 0xF0u;
    config.grid_x = config.grid_y = config.grid_z = 1;
    config.block_x = chosen % 8; // 0 is refused
    config.block_y = config.block_z = 1;
    return config;
}

} // namespace gs::fuzz
