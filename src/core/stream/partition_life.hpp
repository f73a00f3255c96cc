// SPDX-License-Identifier: Apache-2.0
// Partitions of devices: how they begin and end. What the backend has made for one lasts until the partition and the last of
// its streams have ended.
#pragma once

#include "core/slots.hpp"

namespace gs {

struct alignas(64) PartitionSlot : SlotBase {
    Device *device = nullptr;
    PartitionNative made;
    uint32_t requested = 0;
    uint64_t streams = 0; // that live, or are being made
    bool ended = false;   // no handle names it
    PartitionSlot *next = nullptr;
};

// made, slots: [count], for the call's own use. All partitions or none.
Status create_partitions(Device &device, const uint32_t *counts, size_t count, uint32_t flags, PartitionNative *made,
                         PartitionSlot **slots, uint64_t *out_handles) noexcept;
Status end_partition(uint64_t handle) noexcept;
Status partition_summary(uint64_t handle, gs_partition_summary_t *out) noexcept;

// The partition will have a stream more. INVALID_HANDLE: there is no such partition.
Status enter_partition(uint64_t handle, PartitionSlot **out) noexcept;
// It has one fewer. Called without a lock.
void leave_partition(PartitionSlot &slot) noexcept;

} // namespace gs
