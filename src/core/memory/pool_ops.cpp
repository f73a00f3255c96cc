// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "base/sized_struct.hpp"
#include "core/memory/pools.hpp"

namespace gs {
namespace {

Status empty_pool_fronts(ThreadBlock &thread, const Device &device, const PoolSlot *pool) noexcept {
    CallMark mark(thread);
    bool any = false;
    return empty_fronts(thread, device, pool, Settle::Idle, &any);
}

// All but what the driver has reserved. With the lock of the device's memory held.
void fill_stats(const PoolSlot &pool, gs_pool_stats_t *out) noexcept {
    const PoolCounts &counts = pool.counts;
    out->flags = pool.flags;
    out->allocated_bytes = counts.allocated;
    out->allocated_peak_bytes = counts.allocated_peak;
    out->allocated_total_bytes = counts.allocated_total;
    out->requested_bytes = counts.requested;
    out->requested_peak_bytes = counts.requested_peak;
    out->requested_total_bytes = counts.requested_total;
    out->cached_bytes = counts.cached;
    out->cached_peak_bytes = counts.cached_peak;
    out->limit_bytes = pool.limit;
    out->blocks = counts.blocks();
    out->blocks_peak = counts.blocks_peak;
    out->segments = counts.segments;
    out->segments_peak = counts.segments_peak;
    out->segment_allocations = counts.segment_allocations;
    out->allocations = counts.allocations;
    out->frees = counts.frees;
    out->cache_hits = counts.hits;
    out->retries = counts.retries;
    out->out_of_memory = counts.failures;
}

} // namespace

Status trim_pool(ThreadBlock &thread, PoolSlot &pool, uint64_t keep_bytes) noexcept {
    finish_ended_pools(thread);
    const Device &device = *pool.device;
    GS_TRY(check_health(device));
    GS_TRY(empty_pool_fronts(thread, device, &pool));
    return device.backend->pool_trim(thread, device.ordinal, pool.native, keep_bytes);
}

Status pool_stats(ThreadBlock &thread, PoolSlot &pool, gs_pool_stats_t *out) noexcept {
    const Device &device = *pool.device;
    PoolUsage usage;
    GS_TRY(check_struct_size(out->struct_size));
    GS_TRY(check_health(device));
    // The driver is asked only for what the caller has room for.
    if (out->struct_size > offsetof(gs_pool_stats_t, reserved_bytes)) {
        const bool peak = out->struct_size > offsetof(gs_pool_stats_t, reserved_peak_bytes);
        GS_TRY(device.backend->pool_use(thread, device.ordinal, pool.native,
                                        peak ? PoolQuestion::Peak : PoolQuestion::Reserved, &usage));
    }
    gs_pool_stats_t stats{};
    {
        BriefGuard lock(memory_of(device).mutex);
        fill_stats(pool, &stats);
        stats.reserved_bytes = usage.known ? usage.reserved : pool.given();
        stats.reserved_peak_bytes = usage.known ? usage.reserved_peak : pool.held_peak;
    }
    return write_sized(out, stats);
}

Status reset_pool_peak(ThreadBlock &thread, PoolSlot &pool) noexcept {
    const Device &device = *pool.device;
    GS_TRY(check_health(device));
    PoolUsage usage;
    GS_TRY(device.backend->pool_use(thread, device.ordinal, pool.native, PoolQuestion::ResetPeak, &usage));
    BriefGuard lock(memory_of(device).mutex);
    PoolCounts &counts = pool.counts;
    counts.allocated_peak = counts.allocated;
    counts.requested_peak = counts.requested;
    counts.cached_peak = counts.cached;
    counts.blocks_peak = counts.blocks();
    counts.segments_peak = counts.segments;
    pool.held_peak = pool.given();
    return kOk;
}

void limit_pool(PoolSlot &pool, uint64_t bytes) noexcept {
    BriefGuard lock(memory_of(*pool.device).mutex);
    pool.limit = bytes;
}

Status trim_memory(ThreadBlock &thread) noexcept {
    finish_ended_pools(thread);
    Status outcome = kOk;
    for (int32_t index = 0; index < kMaxDevices; ++index) {
        const Device *device = device_at(index);
        const Status status = device ? empty_pool_fronts(thread, *device, nullptr) : kOk;
        // A driver that has shut down has taken all memory with it.
        if (!status.ok() && status.code != GS_ERROR_SHUTDOWN) outcome = status;
    }
    return outcome;
}

} // namespace gs
