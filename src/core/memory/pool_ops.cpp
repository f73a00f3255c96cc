// SPDX-License-Identifier: Apache-2.0
#include "base/sized_struct.hpp"
#include "core/memory/memory_ops.hpp"

namespace gs {
namespace {

Status empty_pool_fronts(ThreadBlock &thread, const Device &device, const PoolSlot *pool) noexcept {
    CallMark mark(thread);
    bool any = false;
    return empty_fronts(thread, device, pool, &any);
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
    GS_TRY(device.backend->pool_use(thread, device.ordinal, pool.native, false, &usage));
    gs_pool_stats_t stats{};
    {
        MutexLock lock(memory_of(device).mutex);
        stats.flags = pool.flags;
        stats.allocated_bytes = pool.allocated;
        stats.allocated_peak_bytes = pool.allocated_peak;
        stats.requested_bytes = pool.requested;
        stats.cached_bytes = pool.cached;
        stats.reserved_bytes = usage.known ? usage.reserved : pool.held;
        stats.reserved_peak_bytes = usage.known ? usage.reserved_peak : pool.held_peak;
        stats.limit_bytes = pool.limit;
        stats.blocks = pool.blocks;
        stats.allocations = pool.allocations;
        stats.frees = pool.frees;
        stats.cache_hits = pool.hits;
        stats.out_of_memory = pool.failures;
    }
    return write_sized(out, stats);
}

Status reset_pool_peak(ThreadBlock &thread, PoolSlot &pool) noexcept {
    const Device &device = *pool.device;
    GS_TRY(check_health(device));
    PoolUsage usage;
    GS_TRY(device.backend->pool_use(thread, device.ordinal, pool.native, true, &usage));
    MutexLock lock(memory_of(device).mutex);
    pool.allocated_peak = pool.allocated;
    pool.held_peak = pool.held;
    return kOk;
}

void limit_pool(PoolSlot &pool, uint64_t bytes) noexcept {
    MutexLock lock(memory_of(*pool.device).mutex);
    pool.limit = bytes;
}

Status trim_memory(ThreadBlock &thread) noexcept {
    finish_ended_pools(thread);
    Status outcome = kOk;
    for (int32_t index = 0; index < kMaxDevices; ++index) {
        const Device *device = device_at(index);
        const Status status = device ? empty_pool_fronts(thread, *device, nullptr) : kOk;
        if (!status.ok()) outcome = status;
    }
    return outcome;
}

} // namespace gs
