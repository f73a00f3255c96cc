// SPDX-License-Identifier: Apache-2.0
// Stream priorities as plain numbers: lower is more urgent, 0 and 0 where a device has no priorities.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gs::gpu {

struct PriorityRange {
    int32_t least = 0;    // the largest number
    int32_t greatest = 0; // the smallest
};

// What the driver does silently to a priority out of range: the effective priority is known without a call.
constexpr int32_t clamp_priority(PriorityRange range, int32_t priority) noexcept {
    return std::max(range.greatest, std::min(range.least, priority));
}

// One word, so that a device's range is published in one step; 0: no range yet.
constexpr uint64_t pack_range(PriorityRange range) noexcept {
    return uint64_t{1} << 63 | uint64_t{static_cast<uint16_t>(range.least)} << 16 |
           static_cast<uint16_t>(range.greatest);
}
constexpr PriorityRange unpack_range(uint64_t packed) noexcept {
    return {static_cast<int16_t>(packed >> 16 & 0xFFFF), static_cast<int16_t>(packed & 0xFFFF)};
}

} // namespace gs::gpu
