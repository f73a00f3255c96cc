// SPDX-License-Identifier: Apache-2.0
// The word of a timeline, and the streams that wait for it. Each has an event behind the last of these waits, after which the
// word is not looked at any more.
#pragma once

#include "core/timeline/timeline_slot.hpp"

namespace gs {

// Raises the word; false if it has reached the value already.
bool raise_word(TimelineSlot &slot, uint64_t value) noexcept;
// Stores what lets all waits pass. With the lock held; wake_streams() follows without it.
void end_word(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);
void wake_streams(TimelineSlot &slot) noexcept;
void wake_threads(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);

// Makes the stream wait until the word has the value. The slot is in use (`inside`); called without its lock. May make an
// event. key: of the stream. *out_waits: the wait is in the stream, even if what marks its end failed.
Status wait_for_word(ThreadBlock &thread, StreamSlot &stream, uint64_t key, TimelineSlot &slot, uint64_t value,
                     bool *out_waits) noexcept;

// The two steps of it, for what stands for a word: the stream's entry is made before anything is submitted, and marked after
// that, whether or not it failed.
Status user_of_word(TimelineSlot &slot, StreamSlot &stream, uint64_t key, WordUser **out) noexcept;
Status mark_use(ThreadBlock &thread, StreamSlot &stream, TimelineSlot &slot, WordUser &user, Status status) noexcept;

// Of an ended timeline, whose slot no other thread has.
//
// Have all streams passed their waits? Gives back the events of those that have.
bool all_have_passed(ThreadBlock &thread, TimelineSlot &slot) noexcept;
// Where a stream's own record has failed, one of all work of its device takes its place. It may fail as well, and be tried
// again.
void mark_by_devices(ThreadBlock &thread, TimelineSlot &slot) noexcept;
// Returns the events. No timeline gets the word.
void forget_users(TimelineSlot &slot) noexcept;

} // namespace gs
