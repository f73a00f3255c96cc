// SPDX-License-Identifier: Apache-2.0
// Driver events without a slot: for the library's own records (notifications, gs_stream_wait_stream), and of slots whose
// next event was recorded on another device.
#pragma once

#include "core/device/device.hpp"

namespace gs {

// Only GS_EVENT_TIMING and GS_EVENT_BLOCKING of the flags matter. May create the context.
Status take_native_event(Device &device, uint32_t flags, uintptr_t *out) noexcept;
void give_native_event(Device &device, uint32_t flags, uintptr_t native) noexcept;
// Logs a failure: the callers are destroy paths.
void destroy_native_event(Device &device, uintptr_t native) noexcept;
// Destroys the spare ones.
void trim_spare_events() noexcept;

} // namespace gs
