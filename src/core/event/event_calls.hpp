// SPDX-License-Identifier: Apache-2.0
// What events do besides being recorded and waited for, which event_hot.hpp has.
#pragma once

#include "base/clock.hpp"
#include "core/slots.hpp"

namespace gs {

// The life of an event: created, wrapped or opened; retained; destroyed. event_cache.hpp has what happens to its slot
// afterwards.
Status create_event(ThreadBlock &thread, uint32_t flags, uint64_t *out_handle) noexcept;
// A driver event that is known, as one of ours or as one that is wrapped already, gives the same event without a driver
// call. *out_handle carries one caller's reference. release: called when the event is no longer used; none: the event stays its
// owner's.
Status wrap_event(ThreadBlock &thread, Device &device, uintptr_t native, ReleaseFunction release,
                  uint64_t *out_handle) noexcept;
// Releases the caller's reference and returns the driver's event, which is the caller's from then on. Binds one that was never
// recorded.
Status unwrap_event(ThreadBlock &thread, uint64_t handle, uintptr_t *out_native) noexcept;
Status open_event(ThreadBlock &thread, Device &device, const gs_ipc_handle_t &handle, uint64_t *out_handle) noexcept;

Status retain_event(ThreadBlock &thread, uint64_t handle) noexcept;
Status release_event(ThreadBlock &thread, uint64_t handle) noexcept;
// The same for a graph, whose reference no caller can release.
Status retain_for_graph(ThreadBlock &thread, uint64_t handle) noexcept;
Status release_for_graph(ThreadBlock &thread, uint64_t handle) noexcept;

// What else events do: synchronize, elapsed time, and giving the driver event out.

// Blocks; pins the event itself.
Status synchronize_event(ThreadBlock &thread, uint64_t handle) noexcept;

// The rest runs under the caller's CallMark.
Status elapsed_ms(ThreadBlock &thread, EventSlot &start, EventSlot &end, double *out_ms) noexcept;
inline int64_t whole_ns(double ms) noexcept { return round_nearest(ms * 1e6); }
// The driver's event; 0 until a record, export, open or adoption has bound it.
uintptr_t bound_native(const EventSlot &event) noexcept;
// The same, for other code, which may record it and wait for it.
Status export_native(EventSlot &event, uintptr_t *out_native) noexcept;
// The same, for a graph, whose launches record it unseen by the library.
Status native_for_graph(EventSlot &event, uintptr_t *out_native) noexcept;
Status export_event(ThreadBlock &thread, EventSlot &event, gs_ipc_handle_t *out) noexcept;

// Waits of streams for interprocess events, which not every backend allows on another device than the event's.

// stream_wait_event() for an interprocess event of the device `home`, whichever the stream's device is.
Status wait_interprocess(ThreadBlock &thread, StreamSlot &stream, Device &home, uintptr_t event) noexcept;
// Of a graph's nodes that wait for interprocess events. NOT_SUPPORTED: it would wait on another device than the event's.
Status check_interprocess_node(const StreamSlot &stream, const EventSlot &event) noexcept;

// The times of events by the host's clock, reckoned from comparisons of the two clocks.

// Blocks. *out_error_ns: how exact the comparison is.
Status calibrate_device(ThreadBlock &thread, Device &device, int64_t *out_error_ns) noexcept;

struct HostTime {
    int64_t ns;
    int64_t error_ns;
};
// Under the caller's CallMark.
Status event_time(ThreadBlock &thread, EventSlot &event, HostTime *out) noexcept;

// Driver events beside the slots. Spare ones serve the library's own records (notifications, gs_stream_wait_stream) and slots whose
// next event is recorded on another device. Those that are known outside are found by their raw handle.

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

// Returns driver events that are no longer held to the spare ones, once all calls that may use them have ended.
void collect_held_records() noexcept;

} // namespace gs
