// SPDX-License-Identifier: Apache-2.0
// What else events do: synchronize, elapsed time, and giving the driver event out.
#pragma once

#include "base/clock.hpp"
#include "core/slots.hpp"

namespace gs {

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

} // namespace gs
