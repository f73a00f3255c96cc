// SPDX-License-Identifier: Apache-2.0
// The blocking calls with a limit, and those without one in the wait modes that are not the driver's. timeout_ns negative: no
// limit.
#pragma once

#include "core/slots.hpp"

namespace gs {

Status synchronize_stream_for(ThreadBlock &thread, uint64_t handle, int64_t timeout_ns) noexcept;
Status synchronize_event_for(ThreadBlock &thread, uint64_t handle, int64_t timeout_ns) noexcept;
Status synchronize_device_for(ThreadBlock &thread, Device &device, int64_t timeout_ns) noexcept;
// out_index: nullptr for all of them.
Status synchronize_events(ThreadBlock &thread, const gs_event_t *events, size_t count, int64_t timeout_ns,
                          size_t *out_index) noexcept;

} // namespace gs
