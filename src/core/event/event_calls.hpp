// SPDX-License-Identifier: Apache-2.0
// What events do besides being recorded and waited for, which event_hot.hpp has.
#pragma once

#include "base/clock.hpp"
#include "core/slots.hpp"

namespace gs {

// The life of an event: created, wrapped or opened; retained; destroyed. event_cache.hpp has what happens to its slot
// afterwards.
Status create_event(ThreadBlock &thread, uint32_t flags, uint64_t *out_handle) noexcept;
// Called when a wrapped event is no longer used; no function: the event stays its owner's.
struct EventRelease {
    void (*fn)(void *) = nullptr;
    void *arg = nullptr;
};
// A driver event that is known, as one of ours or as one that is wrapped already, gives the same event without a driver
// call. *out_handle carries one caller's reference.
Status wrap_event(ThreadBlock &thread, Device &device, uintptr_t native, EventRelease release,
                  uint64_t *out_handle) noexcept;
// Releases the caller's reference and returns the driver's event, which is the caller's from then on. Binds one that was never
// recorded.
Status unwrap_event(ThreadBlock &thread, uint64_t handle, uintptr_t *out_native) noexcept;
Status open_event(ThreadBlock &thread, Device &device, const gs_ipc_handle_t &handle, uint64_t *out_handle) noexcept;

Status retain_event(ThreadBlock &thread, uint64_t handle) noexcept;
Status release_event(ThreadBlock &thread, uint64_t handle) noexcept;

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

} // namespace gs
