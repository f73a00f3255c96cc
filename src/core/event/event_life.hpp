// SPDX-License-Identifier: Apache-2.0
// Events: creation, binding to a device at first use, record, wait, query, synchronize, timing, interprocess.
#pragma once

#include "core/event/elision.hpp"

namespace gs {

Status create_event(ThreadBlock &thread, uint32_t flags, uint64_t *out_handle) noexcept;
Status retain_event(ThreadBlock &thread, uint64_t handle) noexcept;
Status release_event(ThreadBlock &thread, uint64_t handle) noexcept;
Status wrap_event(ThreadBlock &thread, Device &device, uintptr_t native, uint64_t *out_handle) noexcept;

inline EventSlot *find_event(const ThreadBlock &thread, uint64_t handle) noexcept {
    EventSlot *slot = event_slots().find(handle);
    if (__builtin_expect(!slot || !note_counted_use(*slot, handle, thread.id), 0)) return nullptr;
    return slot;
}
Status no_such_event(uint64_t handle) noexcept __attribute__((cold));
inline Status required_event(const ThreadBlock &thread, uint64_t handle, EventSlot **out) noexcept {
    *out = find_event(thread, handle);
    return __builtin_expect(*out != nullptr, 1) ? kOk : no_such_event(handle);
}

// Under the caller's CallMark; record, wait and query are in event_hot.hpp.
Status elapsed_ms(ThreadBlock &thread, EventSlot &start, EventSlot &end, double *out_ms) noexcept;
// The driver's event once a record, export, open or adoption has bound it, else 0. Marks it as known to others.
uintptr_t export_native(EventSlot &event) noexcept;
uintptr_t bound_native(const EventSlot &event) noexcept;

// Blocks; takes its own pin instead of a mark.
Status synchronize_event(ThreadBlock &thread, uint64_t handle) noexcept;

Status export_event(ThreadBlock &thread, EventSlot &event, gs_ipc_handle_t *out) noexcept;
Status open_event(ThreadBlock &thread, Device &device, const gs_ipc_handle_t &handle, uint64_t *out_handle) noexcept;

} // namespace gs
