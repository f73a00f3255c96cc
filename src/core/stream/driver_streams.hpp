// SPDX-License-Identifier: Apache-2.0
// Driver streams of our own: created for a slot, destroyed with it, and asked whether they are being captured.
#pragma once

#include "core/slots.hpp"

namespace gs {

// A bare slot bound to a new driver stream. kind: Leased or Dedicated. priority: an effective one. partition: one that has been
// entered, for a stream that is not blocking, or nullptr.
Status make_driver_stream(Device &device, StreamKind kind, int32_t priority, uint32_t flags, PartitionSlot *partition,
                          StreamSlot **out) noexcept;
// Destroys the driver stream of a dead slot and makes the slot bare. Logs a failure. Called without a lock.
void dismantle_stream(StreamSlot &slot) noexcept;
// The same for one that may have work, which is done nevertheless, or be captured.
void end_driver_stream(StreamSlot &slot) noexcept;

// CAPTURING if the driver stream, which no live handle may lead to, is being captured.
Status refuse_if_capturing(ThreadBlock &thread, const Device &device, uintptr_t native) noexcept;

} // namespace gs
