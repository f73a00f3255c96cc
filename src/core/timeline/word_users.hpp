// SPDX-License-Identifier: Apache-2.0
// Streams that wait for a timeline's word. Each has an event behind the last of these waits, after which the word is not
// looked at any more.
#pragma once

#include "core/timeline/timeline_slot.hpp"

namespace gs {

// Makes the stream wait until the word has the value. The slot is in use (`inside`); called without its lock. May make an
// event. key: of the stream. *out_waits: the wait is in the stream, even if what marks its end failed.
Status wait_for_word(ThreadBlock &thread, StreamSlot &stream, uint64_t key, TimelineSlot &slot, uint64_t value,
                     bool *out_waits) noexcept;

// The two steps of it, for what stands for a word: the stream's entry is made before anything is submitted, and marked after
// that, whether or not it failed.
Status user_of_word(TimelineSlot &slot, StreamSlot &stream, uint64_t key, WordUser **out) noexcept;
Status mark_use(ThreadBlock &thread, StreamSlot &stream, TimelineSlot &slot, WordUser &user, Status status) noexcept;
// Of an ended timeline: where a stream's own record has failed, one of all work of its device takes its place. It may fail
// as well, and be tried again.
void mark_by_devices(ThreadBlock &thread, TimelineSlot &slot) noexcept;

// What the operations on the timeline's word are given with a value.
uint64_t word_value(const TimelineSlot &slot, uint64_t value) noexcept;
uint32_t word_flags(const TimelineSlot &slot) noexcept;

} // namespace gs
