// SPDX-License-Identifier: Apache-2.0
// The one clock of the library. It is never set back, so a wait ends at its limit even if the time of day is changed.
#pragma once

#include <time.h>

#include <cstdint>

#include "base/testing.hpp"

namespace gs {

// CLOCK_MONOTONIC, nanoseconds.
inline uint64_t monotonic_ns() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec) +
           static_cast<uint64_t>(GS_CLOCK_AHEAD_NS);
}

} // namespace gs
