// SPDX-License-Identifier: Apache-2.0
// The signals of a timeline that were submitted to streams and have not happened. All with the timeline's lock held.
#pragma once

#include "core/timeline/timeline_slot.hpp"

namespace gs {

inline constexpr uint32_t kFirstAskAt = 64; // signals that are not written, before a new one asks about an old one

// Forgets the signals that have happened.
void retire_listed_signals(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);
inline void retire_signals(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex) {
    if (!slot.signals) return;
    const bool is_plain = !slot.narrow && !slot.shared;
    if (is_plain && slot.signals->value > __atomic_load_n(slot.word.host, __ATOMIC_ACQUIRE)) return;
    retire_listed_signals(slot);
}
// May a stream with that key signal the value? *out_before: the largest signal that must happen first in another stream, or
// nullptr.
Status check_signal(TimelineSlot &slot, uint64_t stream, uint64_t value, TimelineSignal **out_before) noexcept
    GS_REQUIRES(slot.mutex);
void insert_signal(TimelineSlot &slot, TimelineSignal &signal) noexcept GS_REQUIRES(slot.mutex);
void remove_signal(TimelineSlot &slot, TimelineSignal &signal) noexcept GS_REQUIRES(slot.mutex);
// For the next signal, with its event. It is not listed.
void keep_spare(TimelineSlot &slot, TimelineSignal &signal) noexcept GS_REQUIRES(slot.mutex);
// The signal has happened, so the host raises the word unless its stream has done so.
void write_happened(TimelineSlot &slot, TimelineSignal &signal) noexcept GS_REQUIRES(slot.mutex);
// The first one that reaches the value and can be waited for by its event.
TimelineSignal *submitted_signal(TimelineSlot &slot, uint64_t value) noexcept GS_REQUIRES(slot.mutex);
// What a stream that is to wait for a value finds among the submitted ones.
struct FoundSignal {
    bool own = false;                 // the stream's own signal of this value or a larger one
    TimelineSignal *signal = nullptr; // of exactly this value, with an event
};
FoundSignal find_signal_for(TimelineSlot &slot, uint64_t value, uint64_t stream) noexcept GS_REQUIRES(slot.mutex);

// Adds to the scanner what it is to ask about. Of an ended timeline: signals that are still to come would set the word back, so
// the end is stored again behind each. Of a live one whose word is needed: signals that are not written, so that the host raises
// the word for them.
void watch_listed_signals(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);
inline void watch_signals(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex) {
    const bool ended = slot.shared || slot.aborted.load(std::memory_order_relaxed) != GS_OK ||
                       slot.handle.load(std::memory_order_relaxed) == 0;
    const bool any = ended || (slot.writes && unwritten_signals(slot) != 0);
    if (any) watch_listed_signals(slot);
}

} // namespace gs
