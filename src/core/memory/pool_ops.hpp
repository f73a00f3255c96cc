// SPDX-License-Identifier: Apache-2.0
// What is done with pools beside allocating from them.
#pragma once

#include "core/memory/pools.hpp"

namespace gs {

Status trim_pool(ThreadBlock &thread, PoolSlot &pool, uint64_t keep_bytes) noexcept;
// Of the statistics only the bytes in use, without the lock: there is nothing that they have to agree with.
inline Status allocated_of_pool(const PoolSlot &pool, gs_pool_stats_t *out) noexcept {
    GS_TRY(check_health(*pool.device));
    out->flags = pool.flags;
    out->allocated_bytes = pool.counts.allocated_now();
    return kOk;
}
Status pool_stats(ThreadBlock &thread, PoolSlot &pool, gs_pool_stats_t *out) noexcept;
Status reset_pool_peak(ThreadBlock &thread, PoolSlot &pool) noexcept;
void limit_pool(PoolSlot &pool, uint64_t bytes) noexcept;
// gs_trim: the front caches of all streams, and pools that have ended.
Status trim_memory(ThreadBlock &thread) noexcept;

} // namespace gs
