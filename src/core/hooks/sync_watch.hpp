// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_SYNCS: the tools hear how long calls block (tools/recorder/sync_sites.hpp).
#pragma once

#include "base/clock.hpp"
#include "core/hooks/tool_hooks.hpp"

namespace gs {

// Around what may block. Unless the environment asks for it, this is one branch.
class SyncWatch {
public:
    [[gnu::always_inline]] explicit SyncWatch(const char *function) noexcept : function_(function) {
        const uint32_t rare = g_rare_state.load(std::memory_order_relaxed) & (kRareSyncs | kRareToolsUndecided);
        if (rare != 0) begin();
    }
    [[gnu::always_inline]] ~SyncWatch() {
        if (began_ != 0) end();
    }
    SyncWatch(const SyncWatch &) = delete;
    SyncWatch &operator=(const SyncWatch &) = delete;

private:
    __attribute__((cold, noinline)) void begin() noexcept {
        const bool loaded = asked_tools() != nullptr;
        // As model first_record_is_seen_whole: end() writes into the table.
        if (loaded && (g_rare_state.load(std::memory_order_acquire) & kRareSyncs) != 0) began_ = monotonic_ns();
    }
    __attribute__((cold, noinline)) void end() noexcept { tools::note_sync(function_, monotonic_ns() - began_); }
    const char *const function_;
    uint64_t began_ = 0;
};

} // namespace gs
