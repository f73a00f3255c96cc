// SPDX-License-Identifier: Apache-2.0
// Driver events that belong to no slot: for the library's own records (notifications), and of slots whose next event
// was recorded on another device.
#pragma once

#include "core/device/device.hpp"

namespace gs {

// flags: GS_EVENT_TIMING and GS_EVENT_BLOCKING count. May create the context.
Status take_native_event(Device &device, uint32_t flags, uintptr_t *out) noexcept;
void give_native_event(Device &device, uint32_t flags, uintptr_t native) noexcept;
// A failure is logged: its callers are destroy paths.
void destroy_native_event(Device &device, uintptr_t native) noexcept;
void trim_spare_events() noexcept;

} // namespace gs
