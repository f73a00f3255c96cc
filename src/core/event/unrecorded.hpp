// SPDX-License-Identifier: Apache-2.0
// What a wait for an event that was never recorded does: one mode per process.
#pragma once

#include <atomic>

#include "base/status.hpp"
#include "gpustream.h"

namespace gs {

extern std::atomic<int32_t> g_unrecorded_mode __attribute__((visibility("hidden")));

inline bool unrecorded_waits_are_silent() noexcept {
    return g_unrecorded_mode.load(std::memory_order_relaxed) == GS_UNRECORDED_IGNORE;
}

// OK, in mode "warn" after a warning; NOT_RECORDED in mode "error".
Status unrecorded_wait() noexcept __attribute__((cold));

} // namespace gs
