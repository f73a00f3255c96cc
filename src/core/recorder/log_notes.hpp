// SPDX-License-Identifier: Apache-2.0
// What calls leave in the log, if it is on. The first one of all asks the environment.
#pragma once

#include <atomic>

#include "base/rare_state.hpp"
#include "core/recorder/log_entry.hpp"

namespace gs::recorder {

// Handles of streams may be GS_STREAM_CURRENT.
void note_call(LogCall call, uint64_t stream, uint64_t object, uint64_t value) noexcept __attribute__((cold, noinline));
inline void note(LogCall call, uint64_t stream, uint64_t object = 0, uint64_t value = 0) noexcept {
    if ((g_rare_state.load(std::memory_order_relaxed) & (kRareLogged | kRareLogUndecided)) != 0)
        note_call(call, stream, object, value);
}
// With the word of the event's present record as the value.
void note_event(LogCall call, uint64_t stream, uint64_t event) noexcept __attribute__((cold, noinline));

} // namespace gs::recorder
