// SPDX-License-Identifier: Apache-2.0
// The life of an event: created, wrapped or opened; retained; destroyed. event_cache.hpp has what happens to its slot
// afterwards.
#pragma once

#include "core/slots.hpp"

namespace gs {

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

} // namespace gs
