// SPDX-License-Identifier: Apache-2.0
// Sync debug mode: one value per process, checked before a call blocks the host.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.hpp"

namespace gs {

enum class SyncCall { Stream, Event, Device };

struct ThreadBlock;

extern std::atomic<int32_t> g_sync_debug_mode __attribute__((visibility("hidden")));
extern std::atomic<int32_t> g_sync_debug_scope __attribute__((visibility("hidden")));

// The code that sets the mode: reports name it.
void note_sync_debug_caller(uintptr_t caller) noexcept;

Status sync_debug_report(SyncCall call, bool goes_on) noexcept __attribute__((cold));

// OK, in mode "warn" after a warning; SYNC_FORBIDDEN in mode "error": then the caller must not block.
// goes_on: the wait goes on with one that has warned.
inline Status sync_debug_check(SyncCall call, bool goes_on = false) noexcept {
    if (g_sync_debug_mode.load(std::memory_order_relaxed) == GS_SYNC_DEBUG_DEFAULT) return kOk;
    return sync_debug_report(call, goes_on);
}

// A wait with a limit for the object of a handle. It goes on with the thread's last one if that one was for the same object and
// has timed out. So a program that waits in slices is warned once. A call that takes no time is always a wait of its own.
class LimitedWait {
public:
    LimitedWait(ThreadBlock &thread, uint64_t object, int64_t timeout_ns) noexcept;
    Status check(SyncCall call) const noexcept { return sync_debug_check(call, goes_on_); }
    Status ended(Status status) const noexcept;

private:
    ThreadBlock &thread_;
    const uint64_t object_;
    const bool goes_on_;
    const bool is_slice_;
};

} // namespace gs
