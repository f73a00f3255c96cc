// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_SYNCS: which callers block threads, how often and how long; and which use the default stream.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "base/rare_state.hpp"
#include "tools/recorder/text_sink.hpp"

namespace gs::recorder {

void watch_syncs(bool warn_of_default_stream) noexcept; // once
void decide_about_syncs() noexcept;                     // asks the environment, with the log (log_notes.cpp)
void note_sync(const char *function, uint64_t took_ns) noexcept __attribute__((cold, noinline));
// The stream is one that work was submitted to, or that waits. Warns once for each caller.
void note_use_of_stream(uint64_t stream) noexcept;
bool warns_of_default_stream() noexcept;
// From a signal handler too.
void write_syncs(TextSink &out) noexcept;

// Around what may block. Unless the environment asks for it, this is one branch.
class SyncWatch {
public:
    [[gnu::always_inline]] explicit SyncWatch(const char *function) noexcept : function_(function) {
        const uint32_t rare = g_rare_state.load(std::memory_order_relaxed) & (kRareSyncs | kRareLogUndecided);
        if (rare != 0) begin(rare);
    }
    [[gnu::always_inline]] ~SyncWatch() {
        if (began_ != 0) end();
    }
    SyncWatch(const SyncWatch &) = delete;
    SyncWatch &operator=(const SyncWatch &) = delete;

private:
    __attribute__((cold, noinline)) void begin(uint32_t rare) noexcept {
        if ((rare & kRareLogUndecided) != 0) decide_about_syncs();
        // As model first_record_is_seen_whole: end() writes into the table.
        if ((g_rare_state.load(std::memory_order_acquire) & kRareSyncs) != 0) began_ = monotonic_ns();
    }
    __attribute__((cold, noinline)) void end() noexcept { note_sync(function_, monotonic_ns() - began_); }
    const char *const function_;
    uint64_t began_ = 0;
};

} // namespace gs::recorder
