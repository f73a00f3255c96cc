// SPDX-License-Identifier: Apache-2.0
// Rounding of numbers that fit into 64 bits. The C library's llround() is in libm, which the library does not link.
#pragma once

#include <cstdint>

namespace gs {

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
