// SPDX-License-Identifier: Apache-2.0
// Sync debug mode: one value per process, checked before a call blocks the host.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.hpp"

namespace gs {

enum class SyncCall { Stream, Event, Device };

extern std::atomic<int32_t> g_sync_debug_mode __attribute__((visibility("hidden")));
extern std::atomic<int32_t> g_sync_debug_scope __attribute__((visibility("hidden")));

// The code that sets the mode: reports name it.
void note_sync_debug_caller(uintptr_t caller) noexcept;

Status sync_debug_report(SyncCall call) noexcept __attribute__((cold));

// OK, in mode "warn" after a warning; SYNC_FORBIDDEN in mode "error": then the caller must not block.
inline Status sync_debug_check(SyncCall call) noexcept {
    if (g_sync_debug_mode.load(std::memory_order_relaxed) == GS_SYNC_DEBUG_DEFAULT) return kOk;
    return sync_debug_report(call);
}

} // namespace gs
