// SPDX-License-Identifier: Apache-2.0
// The calls that change the current stream or device, while bridges are notified. Ours changes first, and is changed back
// when a bridge refuses; only the end of a scope goes on and reports the first refusal.
#pragma once

#include "core/bridge/bridge_thread.hpp"

namespace gs {

Status push_bridged(ThreadBlock &thread, CoreThread &core, uint64_t handle, uint64_t *out_token) noexcept;
Status pop_bridged(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept;
Status unwind_bridged(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept;
// out_previous: nullptr, or receives the handle of the stream that was current there, with a reference for the caller.
Status set_bridged(ThreadBlock &thread, CoreThread &core, uint64_t handle, uint64_t *out_previous) noexcept;

// change: set_current_device or go_back_to_device of core/thread. previous: the device that is current.
using DeviceChange = Status (*)(ThreadBlock &thread, Device &device) noexcept;
Status set_device_bridged(ThreadBlock &thread, CoreThread &core, Device &previous, Device &target,
                          DeviceChange change) noexcept;

} // namespace gs
