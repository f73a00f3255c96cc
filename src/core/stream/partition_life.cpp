// SPDX-License-Identifier: Apache-2.0
#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/status.hpp"
#include "core/names.hpp"
#include "core/stream/stream_calls.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

constinit SlotMap<PartitionSlot, Kind::Partition> g_partitions;
BriefLock g_partitions_mutex; // handles, what changes in live slots, and the list
FreeSlots<PartitionSlot> g_free_partitions GS_GUARDED_BY(g_partitions_mutex);

PartitionSlot *take_partition_slot() noexcept {
    BriefGuard lock(g_partitions_mutex);
    return g_free_partitions.take(g_partitions);
}

void give_partition_slot(PartitionSlot &slot) noexcept {
    BriefGuard lock(g_partitions_mutex);
    g_free_partitions.give(slot);
}

// Nothing refers to it but the caller.
void dismantle_partition(PartitionSlot &slot) noexcept {
    const Device &device = *slot.device;
    const Status status = device.backend->partition_destroy(device.ordinal, slot.made.native);
    if (!status.ok())
        log_message(GS_LOG_WARNING, "a partition of %s device %d is not destroyed: %s", device.backend->name(),
                    device.ordinal, pending_text());
    give_partition_slot(slot);
}

// One of the two has become fewer.
void dismantle_if_last(PartitionSlot &slot, uint64_t PartitionSlot::*fewer) noexcept {
    bool last = false;
    {
        BriefGuard lock(g_partitions_mutex);
        --(slot.*fewer);
        last = slot.streams == 0 && slot.holds == 0;
    }
    if (last) dismantle_partition(slot);
}

// body(slot) under the lock.
template <typename Body>
Status with_partition(uint64_t handle, Body &&body) noexcept {
    PartitionSlot *slot = g_partitions.find(handle);
    if (!slot)
        return no_such_object(Kind::Partition, handle); // unlocked: there may be no device yet, and a fork may come
    BriefGuard lock(g_partitions_mutex);
    if (slot->handle.load(std::memory_order_relaxed) != handle) return no_such_object(Kind::Partition, handle);
    body(*slot);
    return kOk;
}

} // namespace

Status create_partitions(Device &device, const uint32_t *counts, size_t count, uint32_t flags, PartitionNative *made,
                         PartitionSlot **slots, uint64_t *out_handles) noexcept {
    GS_TRY(check_health(device));
    size_t taken = 0;
    while (taken < count && (slots[taken] = take_partition_slot()) != nullptr) ++taken;
    const Status status = taken == count ? device.backend->partition_create(device.ordinal, counts, count, flags, made)
                                         : fail(GS_ERROR_OUT_OF_MEMORY, "no memory for %zu partitions", count);
    if (!status.ok()) {
        while (taken > 0) give_partition_slot(*slots[--taken]);
        return status;
    }
    BriefGuard lock(g_partitions_mutex);
    for (size_t i = 0; i < count; ++i) {
        PartitionSlot &slot = *slots[i];
        slot.device = &device;
        slot.made = made[i];
        slot.requested = counts[i];
        slot.streams = 0;
        slot.holds = 1;
        slot.closed = false;
        out_handles[i] = g_partitions.next_handle(slot, static_cast<uint32_t>(device.kind));
        slot.handle.store(out_handles[i], std::memory_order_relaxed);
    }
    return kOk;
}

Status close_partition(uint64_t handle, PartitionSlot **out) noexcept {
    return with_partition(handle, [&](PartitionSlot &slot) {
        slot.handle.store(0, std::memory_order_relaxed);
        *out = &slot;
    });
}

Status partition_summary(uint64_t handle, gs_partition_summary_t *out) noexcept {
    return with_partition(handle, [&](const PartitionSlot &slot) {
        out->device = device_number(*slot.device);
        out->sm_count = slot.made.sm_count;
        out->requested_sm_count = slot.requested;
        out->device_sm_count = slot.made.device_sm_count;
        out->unit_sm_count = slot.made.unit_sm_count;
        out->streams = slot.streams;
        out->native = slot.made.known_as;
    });
}

Status enter_partition(uint64_t handle, PartitionSlot **out) noexcept {
    return with_partition(handle, [&](PartitionSlot &slot) {
        ++slot.streams;
        *out = &slot;
    });
}

void leave_partition(PartitionSlot &slot) noexcept { dismantle_if_last(slot, &PartitionSlot::streams); }

void hold_partition(PartitionSlot &slot) noexcept {
    BriefGuard lock(g_partitions_mutex);
    ++slot.holds;
}

void release_partition(PartitionSlot &slot) noexcept { dismantle_if_last(slot, &PartitionSlot::holds); }

} // namespace gs
