// SPDX-License-Identifier: Apache-2.0
// The signals of a timeline that were submitted to streams and have not happened. All with the timeline's lock held.
#pragma once

#include "core/timeline/timeline_slot.hpp"

namespace gs {

// Forgets the signals that have happened.
void retire_signals(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);
// May a stream with that key signal the value? *out_before: the largest signal that must happen first in another stream, or
// nullptr.
Status check_signal(TimelineSlot &slot, uint64_t stream, uint64_t value, TimelineSignal **out_before) noexcept
    GS_REQUIRES(slot.mutex);
void remove_signal(TimelineSlot &slot, TimelineSignal &signal) noexcept GS_REQUIRES(slot.mutex);
// For the next signal, with its event. It is in no set.
void keep_spare(TimelineSlot &slot, TimelineSignal &signal) noexcept GS_REQUIRES(slot.mutex);
TimelineSignal *take_spare(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);

// The first one that reaches the value and can be waited for by its event.
TimelineSignal *submitted_signal(TimelineSlot &slot, uint64_t value) noexcept GS_REQUIRES(slot.mutex);
// What a stream that is to wait for a value finds among the submitted ones.
struct FoundSignal {
    bool own = false;                 // the stream itself signals the value, or a larger one
    TimelineSignal *signal = nullptr; // whose event the stream waits for; nullptr: there is none
};
FoundSignal find_signal_for(TimelineSlot &slot, uint64_t value, uint64_t stream) noexcept GS_REQUIRES(slot.mutex);

// Of an ended timeline: signals that are still to come would set its word back. The scanner gets them, so that the end is stored
// again behind each.
void watch_late_signals(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);

} // namespace gs
