// SPDX-License-Identifier: Apache-2.0
// Leased driver streams between two owners: one pool for each device or partition, effective priority and blocking flag.
#pragma once

#include "base/status.hpp"
#include "core/slots.hpp"

namespace gs {

// What a caller wants of a leased stream.
struct LeaseWish {
    Device *device;
    PartitionSlot *partition; // one that has been entered; nullptr: the whole device
    int32_t priority;
    bool blocking;
};

// Takes a slot from the pool; *out is nullptr when none is ready. May ask the driver whether a used one is idle by now.
Status take_lease(ThreadBlock &thread, const LeaseWish &wish, StreamSlot **out) noexcept;
// Puts a slot into its pool once the calls in flight have left it. Makes no driver call, but for a stream of a partition that
// has ended: its driver stream ends.
void return_lease(StreamSlot &slot) noexcept;
// The partition's handle has ended: so do the driver streams that are pooled for it, and those that will be returned.
void end_pooled_streams(PartitionSlot &partition) noexcept;

// CAPTURING if a driver stream in a pool is being captured. Asks those whose raw handle was given out.
Status refuse_if_pooled_captures(ThreadBlock &thread, const Device &device) noexcept;

// Destroys the idle driver streams of all pools.
void trim_pools(ThreadBlock &thread) noexcept;

// The end of a partition: by its handle, with the driver streams that it keeps for its next ones.

Status end_partition(uint64_t handle) noexcept;

} // namespace gs
