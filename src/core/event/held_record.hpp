// SPDX-License-Identifier: Apache-2.0
// Holding the record that an event has: its driver event is not recorded again while the library asks about it. The event's
// next record takes another driver event, so it is neither refused nor delayed, and a holder of the old one sees the old
// record only.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Whether the record can be held: not if others may record the driver event.
inline bool may_hold(const EventSlot &event) noexcept {
    return (event.traits.load(std::memory_order_seq_cst) & (kEventForeign | kEventNoPool | kEventBorrowed)) == 0;
}

// Under the caller's CallMark; the event was recorded and may_hold().
Status hold_record(EventSlot &event, uintptr_t *out_native) noexcept;
void release_record(Device &device, uintptr_t native) noexcept;

// Records an event whose record is held, by a driver event that takes the place of the held one. *out_recorded: false if the
// record is not held any more; nothing was done then.
Status record_beside_held(ThreadBlock &thread, EventSlot &event, StreamSlot &stream, bool *out_recorded) noexcept;
// The event has ended, and its driver event stays with those that hold it. False: it is not held any more.
bool leave_to_holders(EventSlot &event) noexcept;

// Returns driver events that are not held any more to the spare ones, once no call can be using them. self: the calling
// thread.
void collect_held_records(const ThreadBlock *self) noexcept;

} // namespace gs
