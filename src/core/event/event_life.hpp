// SPDX-License-Identifier: Apache-2.0
// The life of an event: created, wrapped or opened; retained; destroyed. event_cache.hpp has what happens to its slot
// afterwards.
#pragma once

#include "core/slots.hpp"

namespace gs {

Status create_event(ThreadBlock &thread, uint32_t flags, uint64_t *out_handle) noexcept;
Status wrap_event(ThreadBlock &thread, Device &device, uintptr_t native, uint64_t *out_handle) noexcept;
Status open_event(ThreadBlock &thread, Device &device, const gs_ipc_handle_t &handle, uint64_t *out_handle) noexcept;

Status retain_event(ThreadBlock &thread, uint64_t handle) noexcept;
Status release_event(ThreadBlock &thread, uint64_t handle) noexcept;

} // namespace gs
