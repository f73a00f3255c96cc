// SPDX-License-Identifier: Apache-2.0
// Which streams wait for which signals: what is needed to find circles of waits before they hang.
//
// Only waits that are not met are kept, and signals that stand behind such waits in their streams: all others happen by
// themselves. A circle is closed by the signal that is submitted last, so that is where it is looked for.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.hpp"

namespace gs {

struct TimelineSlot;

// Of one life of a timeline.
struct TimelineName {
    TimelineSlot *slot;
    uint64_t handle;
};

// stream: a key, as of the lanes of completions. The number takes the wait back if it was not submitted; 0: nothing to take back.
Status note_wait(uint64_t stream, TimelineName timeline, uint64_t value, uint64_t *out_number) noexcept;
void take_wait_back(uint64_t stream, TimelineName timeline, uint64_t number) noexcept;

struct SignalPlace {
    uint64_t number = 0; // 0: all waits that the signal stands behind are met
    uint64_t behind = 0; // the largest value of its own timeline that its stream waits for first
};
// Waits that may not be met, of all streams. While their number is 0 no signal can stand behind one.
extern std::atomic<uint32_t> g_unmet_waits __attribute__((visibility("hidden")));
Status note_signal_behind(uint64_t stream, TimelineName timeline, uint64_t value, bool waited_for,
                          SignalPlace *out) noexcept;
// DEADLOCK: the signal would stand behind a wait that only it can meet. waited_for: a wait for that value or a larger one was noted.
inline Status note_signal(uint64_t stream, TimelineName timeline, uint64_t value, bool waited_for,
                          SignalPlace *out) noexcept {
    *out = {};
    if (g_unmet_waits.load(std::memory_order_relaxed) == 0) return kOk;
    return note_signal_behind(stream, timeline, value, waited_for, out);
}
void take_signal_back(TimelineName timeline, uint64_t value) noexcept;
// Releases the memory of all that no longer matters.
void forget_met_waits() noexcept;

} // namespace gs
