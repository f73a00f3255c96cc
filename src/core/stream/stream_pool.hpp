// SPDX-License-Identifier: Apache-2.0
// Leased driver streams between two owners: one pool for each device, effective priority and blocking flag.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Takes a slot from the pool; *out is nullptr when none is ready. May ask the driver whether a used one is idle by now.
Status take_lease(ThreadBlock &thread, Device &device, int32_t priority, bool blocking, StreamSlot **out) noexcept;
// Puts a slot into its pool once the calls in flight have left it. Makes no driver call.
void return_lease(StreamSlot &slot) noexcept;

// CAPTURING if a driver stream in a pool is being captured. Asks those whose raw handle was given out.
Status refuse_if_pooled_captures(ThreadBlock &thread, const Device &device) noexcept;

// Destroys the idle driver streams of all pools, and of the calling thread's own stock.
void trim_pools(ThreadBlock &thread) noexcept;

} // namespace gs
