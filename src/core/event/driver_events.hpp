// SPDX-License-Identifier: Apache-2.0
// Driver events beside the slots. Spare ones serve the library's own records (notifications, gs_stream_wait_stream) and slots whose
// next event is recorded on another device. Those that are known outside are found by their raw handle.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Only GS_EVENT_TIMING and GS_EVENT_BLOCKING of the flags matter. May create the context.
Status take_native_event(Device &device, uint32_t flags, uintptr_t *out) noexcept;
void give_native_event(Device &device, uint32_t flags, uintptr_t native) noexcept;
// Logs a failure: the callers are destroy paths.
void destroy_native_event(Device &device, uintptr_t native) noexcept;
// Destroys the spare ones.
void trim_spare_events() noexcept;

// Driver events that are known outside: ours that were given out, and foreign ones that are wrapped. Wrapping one returns the
// same event, without a driver call.

// Enters an event whose driver event is bound, at the first time. OUT_OF_MEMORY when the map cannot grow.
Status remember_event(EventSlot &slot) noexcept;
// Called after the handle was cleared.
void forget_event(EventSlot &slot) noexcept;
// Enters the wrap of a foreign event, just published. *out_first stays false, and nothing is entered, if there is another
// live event with this driver event.
Status enter_event(EventSlot &slot, uint64_t handle, bool *out_first) noexcept;
// The handle of the live event with this driver event; 0 if none is known. It may end before the caller looks it up.
uint64_t find_known_event(const Backend &backend, uintptr_t native) noexcept;

// Holding the record that an event has: its driver event is not recorded again while the library asks about it. The event's
// next record takes another driver event, so it is neither refused nor delayed, and a holder of the old one sees the old
// record only.

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

// Returns driver events that are no longer held to the spare ones, once all calls that may use them have ended. self:
// the calling thread.
void collect_held_records(const ThreadBlock *self) noexcept;

} // namespace gs
