// SPDX-License-Identifier: Apache-2.0
// Which memory a copy or fill of the driver reads and writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "front/call.hpp"

namespace gs::front {

// One side of it: rows of a layer, layers behind each other. Sizes and distances are in bytes.
struct Region {
    uint64_t address = 0; // 0: an array, or nothing
    uint64_t width = 0, rows = 1, pitch = 0;
    uint64_t layers = 1, layer_pitch = 0;
};
enum class SourceOrder : uint8_t {
    Stream,     // `from` is read in the stream's order
    DuringCall, // has been read when the call returns
    Any         // may be read at any time from the call on until the copy is done
};
struct Transfer {
    Region from, to;
    SourceOrder order = SourceOrder::Stream;
};
// Of a call that copies or fills. May throw std::bad_alloc.
std::vector<Transfer> transfers_of(const Call &call);
Transfer transfer_of_node(CUDA_MEMCPY3D copy) noexcept; // for which a driver may say 0 rows

inline constexpr size_t kMostRows = 4096; // of one call; larger regions with gaps are left out

// body(address, bytes) for each part of the region without gaps. left: how many parts the call may still have.
template <typename Body>
void for_each_part(Region region, size_t *left, Body &&body) {
    if (region.rows == 1 || region.pitch == region.width) region.width *= region.rows, region.rows = 1;
    if (region.rows == 1 && (region.layers == 1 || region.layer_pitch == region.width))
        region.width *= region.layers, region.layers = 1;
    if (region.width == 0 || region.rows > *left || region.layers > *left / (region.rows == 0 ? 1 : region.rows))
        return;
    *left -= region.rows * region.layers;
    for (uint64_t layer = 0; layer < region.layers; ++layer)
        for (uint64_t row = 0; row < region.rows; ++row)
            body(region.address + layer * region.layer_pitch + row * region.pitch, region.width);
}

} // namespace gs::front
