// SPDX-License-Identifier: Apache-2.0
// The one clock of the library, and the rounding of times. The clock is never set back, so a wait ends at its limit even if the
// time of day is changed.
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

// Rounding of numbers that fit into 64 bits. The C library's llround() is in libm, which the library does not link.
constexpr int64_t round_up(double number) noexcept {
    const auto whole = static_cast<int64_t>(number);
    return static_cast<double>(whole) < number ? whole + 1 : whole;
}
// Halves are rounded away from 0, as by llround().
constexpr int64_t round_nearest(double number) noexcept {
    return static_cast<int64_t>(number < 0 ? number - 0.5 : number + 0.5);
}
static_assert(round_up(0) == 0 && round_up(0.1) == 1 && round_up(3) == 3 && round_up(-0.5) == 0);
static_assert(round_nearest(2.5) == 3 && round_nearest(-2.5) == -3 && round_nearest(2.4) == 2 && round_nearest(0) == 0);

} // namespace gs
