// SPDX-License-Identifier: Apache-2.0
// The words of timelines: host memory that is registered with a device's driver, in pages that are never freed.
#pragma once

#include <cstdint>

#include "core/device/device.hpp"

namespace gs {

// The host's and the streams' address of one word of 64 bits, in a cache line of its own. The memory is the process's, so a
// device that is reset by other code does not take it along.
struct Word {
    uint64_t *host = nullptr;
    void *address = nullptr;
};

// The word of a timeline that has ended: above all values.
inline constexpr uint64_t kTimelineEnd = (uint64_t{1} << 63) - 1;

// A word that no timeline has had yet. May create the context.
Status take_word(Device &device, Word *out) noexcept;

} // namespace gs
