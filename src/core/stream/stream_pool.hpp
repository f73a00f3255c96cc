// SPDX-License-Identifier: Apache-2.0
// Leased driver streams between two owners.
#pragma once

#include "core/slots.hpp"

namespace gs {

// A slot with a driver stream of its own for (device, effective priority, blocking). May call the driver: to ask whether
// a used one is idle by now, or to make a new one.
Status lease_stream(ThreadBlock &thread, Device &device, int32_t priority, bool blocking, StreamSlot **out) noexcept;
// The slot's calls in flight have left. Makes no driver call.
void return_lease(StreamSlot &slot) noexcept;

// CAPTURING if a driver stream whose last handle is gone is being captured. Asks those whose raw handle was given out.
Status refuse_if_pooled_captures(ThreadBlock &thread, const Device &device) noexcept;

// gs_trim: destroys the idle driver streams that wait in the pools.
Status trim_streams(ThreadBlock &thread) noexcept;

} // namespace gs
