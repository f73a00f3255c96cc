// SPDX-License-Identifier: Apache-2.0
// How threads wait: GS_OPTION_WAIT_MODE, GPUSTREAM_WAIT, GPUSTREAM_WAIT_CPU.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.hpp"

namespace gs {

extern std::atomic<int32_t> g_wait_mode __attribute__((visibility("hidden"))); // -1: the environment was not read yet
int32_t wait_mode_slowly() noexcept __attribute__((cold, noinline));
// GS_WAIT_*
inline int32_t wait_mode() noexcept {
    const int32_t mode = g_wait_mode.load(std::memory_order_relaxed);
    return mode >= 0 ? mode : wait_mode_slowly();
}

// Percent of a processor that may be spent on spinning.
uint32_t wait_share_percent() noexcept;

} // namespace gs
