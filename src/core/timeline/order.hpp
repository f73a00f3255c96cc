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

// stream: a key, as of the lanes of completions. The number takes it back if it was not submitted; 0: nothing to take back.
Status note_wait(uint64_t stream, TimelineName timeline, uint64_t value, uint64_t *out_number) noexcept;
// Waits that may not be met, of all streams. While there is none no signal can stand behind one.
extern std::atomic<uint32_t> g_unmet_waits __attribute__((visibility("hidden")));
inline bool has_unmet_waits() noexcept { return g_unmet_waits.load(std::memory_order_relaxed) != 0; }
// DEADLOCK: the signal would stand behind a wait that only it can meet.
Status note_signal_behind(uint64_t stream, TimelineName timeline, uint64_t value, uint64_t *out_number) noexcept;
inline Status note_signal(uint64_t stream, TimelineName timeline, uint64_t value, uint64_t *out_number) noexcept {
    *out_number = 0;
    return has_unmet_waits() ? note_signal_behind(stream, timeline, value, out_number) : kOk;
}
void take_back(uint64_t number) noexcept;
// Returns when no other thread looks at timelines that have ended before the call.
void pass_searches() noexcept;
// The largest value of the timeline that the stream waits for and that is not reached; 0: none.
uint64_t find_waited_value(uint64_t stream, TimelineName timeline) noexcept;
inline uint64_t waited_value(uint64_t stream, TimelineName timeline) noexcept {
    return has_unmet_waits() ? find_waited_value(stream, timeline) : 0;
}

} // namespace gs
