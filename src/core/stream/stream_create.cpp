// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "core/names.hpp"
#include "core/stream/stream_calls.hpp"
#include "core/stream/stream_life.hpp"
#include "core/stream/stream_slots.hpp"

namespace gs {
namespace {

// To what the device has. The extremes of the type mean the lowest and the highest priority there is, so they say nothing
// about a mistake.
Status clamp_priority(Device &device, int32_t *priority) noexcept {
    int32_t least = 0;
    int32_t greatest = 0;
    GS_TRY(priority_range(device, &least, &greatest));
    const int32_t asked = std::exchange(*priority, std::clamp(*priority, greatest, least));
    if (asked != *priority && asked != INT32_MAX && asked != INT32_MIN)
        log_message(GS_LOG_INFO, "priority %d is out of the range of %s device %d, %d to %d: the stream has %d", asked,
                    device.backend->name(), device.ordinal, greatest, least, *priority);
    return kOk;
}

Status take_slot(StreamSlot **out) noexcept {
    *out = take_bare_stream();
    return *out ? kOk : no_slot(Kind::Stream);
}

Status create_shared(ThreadBlock &thread, Device &device, int32_t priority, uint32_t flags, StreamSlot **out) noexcept {
    SharedStream shared{};
    GS_TRY(next_shared_stream(thread, device, priority, (flags & GS_STREAM_BLOCKING) != 0, &shared));
    GS_TRY(take_slot(out));
    bind_slot(
        **out, device,
        {.kind = StreamKind::Shared, .native = shared.native, .uid = shared.uid, .priority = priority, .flags = flags});
    return kOk;
}

// From the pool; nullptr: there is none.
Status take_pooled(ThreadBlock &thread, const LeaseWish &wish, StreamSlot **out) noexcept {
    for (;;) {
        GS_TRY(take_lease(thread, wish, out));
        if (!*out || !used_up(**out)) return kOk;
        dismantle_stream(**out);
    }
}

// A driver stream that no other handle names.
Status lease(ThreadBlock &thread, const LeaseWish &wish, StreamSlot **out) noexcept {
    StreamSlot *slot = nullptr;
    GS_TRY(take_pooled(thread, wish, &slot));
    if (!slot) {
        collect_streams(); // far cheaper than another driver stream
        GS_TRY(take_pooled(thread, wish, &slot));
    }
    if (slot) {
        slot->use.store(StreamUse::None, std::memory_order_relaxed);
        thread.counters.stream_pool_hits.add();
    } else {
        const uint32_t flags = wish.blocking ? GS_STREAM_BLOCKING : 0;
        GS_TRY(make_driver_stream(*wish.device, StreamKind::Leased, wish.priority, flags, wish.partition, &slot));
        thread.counters.stream_pool_misses.add();
    }
    *out = slot;
    return kOk;
}

// partition: nullptr: the whole device.
Status make(ThreadBlock &thread, Device &device, PartitionSlot *partition, int32_t priority, uint32_t flags,
            StreamSlot **out) noexcept {
    GS_TRY(check_health(device));
    GS_TRY(clamp_priority(device, &priority));
    if (flags & GS_STREAM_SHARED) return create_shared(thread, device, priority, flags, out);
    if (flags & GS_STREAM_DEDICATED)
        return make_driver_stream(device, StreamKind::Dedicated, priority, flags, partition, out);
    return lease(thread, {&device, partition, priority, (flags & GS_STREAM_BLOCKING) != 0}, out);
}

} // namespace

Status create_stream(ThreadBlock &thread, Device &device, int32_t priority, uint32_t flags,
                     uint64_t *out_handle) noexcept {
    StreamSlot *slot = nullptr;
    GS_TRY(make(thread, device, nullptr, priority, flags, &slot));
    publish_stream(thread, *slot, out_handle);
    thread.counters.streams_created.add();
    return kOk;
}

Status create_stream_in(ThreadBlock &thread, uint64_t partition, int32_t priority, uint32_t flags,
                        uint64_t *out_handle) noexcept {
    PartitionSlot *home = nullptr;
    GS_TRY(enter_partition(partition, &home));
    StreamSlot *slot = nullptr;
    const Status status = home->made.native == 0 ? fail(GS_ERROR_INVALID_ARGUMENT,
                                                        "the partition is a plan (GS_PARTITION_PLAN), which has "
                                                        "no streams: create it without that flag")
                                                 : make(thread, *home->device, home, priority, flags, &slot);
    if (!status.ok()) {
        leave_partition(*home);
        return status;
    }
    publish_stream(thread, *slot, out_handle);
    thread.counters.streams_created.add();
    return kOk;
}

} // namespace gs
