// SPDX-License-Identifier: Apache-2.0
// Partitions of devices: how they begin and end. What the backend has made for one lasts until the partition, the last of its
// streams and the last driver stream in it have ended.
#pragma once

#include "core/slots.hpp"

namespace gs {

struct StreamPool;

struct alignas(64) PartitionSlot : SlotBase {
    Device *device = nullptr;
    PartitionNative made;
    uint32_t requested = 0;
    uint64_t streams = 0; // that live, or are being made
    uint64_t holds = 0;   // the handle, until its end has been seen to, and driver streams, with those that are pooled
    PartitionSlot *next = nullptr;
    // Under the mutex of stream_pool.cpp:
    StreamPool *pools = nullptr; // one for each priority; they stay with the slot
    bool closed = false;         // takes no stream back
};

// made, slots: [count], for the call's own use. All partitions or none.
Status create_partitions(Device &device, const uint32_t *counts, size_t count, uint32_t flags, PartitionNative *made,
                         PartitionSlot **slots, uint64_t *out_handles) noexcept;
// No handle names it any more. The caller gives up the streams that the partition keeps, and then releases it.
Status close_partition(uint64_t handle, PartitionSlot **out) noexcept;
Status partition_summary(uint64_t handle, gs_partition_summary_t *out) noexcept;

// The partition will have a stream more. INVALID_HANDLE: there is no such partition.
Status enter_partition(uint64_t handle, PartitionSlot **out) noexcept;
// It has one fewer. Called without a lock, as release_partition() is.
void leave_partition(PartitionSlot &slot) noexcept;
// A driver stream has been made in a partition that was entered; it, or the handle, has ended.
void hold_partition(PartitionSlot &slot) noexcept;
void release_partition(PartitionSlot &slot) noexcept;

} // namespace gs
