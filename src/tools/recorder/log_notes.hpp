// SPDX-License-Identifier: Apache-2.0
// What calls leave in the log, if it is on.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/rare_state.hpp"
#include "core/names.hpp"
#include "tools/recorder/log_ring.hpp"

namespace gs::recorder {

// Handles of streams may be GS_STREAM_CURRENT.
void note_call(LogCall call, uint64_t stream, uint64_t object, uint64_t value) noexcept __attribute__((noinline));
inline constexpr uint32_t kRareNoted = kRareLogged | kRareListened | kRareDefaultStream;
inline void note(LogCall call, uint64_t stream, uint64_t object = 0, uint64_t value = 0) noexcept {
    if ((g_rare_state.load(std::memory_order_relaxed) & kRareNoted) != 0) note_call(call, stream, object, value);
}
// A trace wants at least so many operations of each thread, a power of two, until it stops.
void start_traced_log(uint64_t entries) noexcept;
void stop_traced_log() noexcept;
// Hears of each entry, on its thread and with no lock held, but for those that it makes itself. nullptr: none.
using LogListener = void (*)(const LogEntry &entry) noexcept;
void set_log_listener(LogListener listener) noexcept;

// Whether the thread's calls are logged or listened to, for those that have something to look up first.
bool is_logged() noexcept;
// With the word of the event's present record as the value.
void note_record(LogCall call, uint64_t stream, uint64_t event) noexcept __attribute__((noinline));
inline void note_event(LogCall call, uint64_t stream, uint64_t event) noexcept {
    if ((g_rare_state.load(std::memory_order_relaxed) & kRareNoted) != 0) note_record(call, stream, event);
}
// The object has a name from now on, or another one, or none.
void note_name(uint64_t handle) noexcept;
void read_log_environment() noexcept; // once

// Names of ranges and marks, as numbers that fit into an entry of the log. A name is kept once and for the life of the
// process. Reading takes no lock and no memory, and may happen in a signal handler.

// The number of a text; that of "..." if there is no room, or no memory, for another one.
uint32_t log_text(const char *text) noexcept;
const char *text_with_number(uint32_t number) noexcept; // "..." if there is none

} // namespace gs::recorder
