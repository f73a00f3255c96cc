// SPDX-License-Identifier: Apache-2.0
// How pools begin and end, and which one a thread has current.
#pragma once

#include "core/memory/device_memory.hpp"
#include "core/thread/thread_state.hpp"

namespace gs {

using PoolSlots = SlotMap<PoolSlot, Kind::Pool>;
extern PoolSlots g_pools __attribute__((visibility("hidden")));

// The pools that a thread has made current, by device; nullptr: the default one. The thread owns a reference of each.
struct PoolThread {
    PoolSlot *current[kMaxDevices] = {};
};

Status create_pool(ThreadBlock &thread, Device &device, const gs_pool_options_t &options,
                   uint64_t *out_handle) noexcept;
Status default_pool_slowly(Device &device, PoolSlot **out) noexcept __attribute__((cold));
inline PoolSlot *known_default_pool(const Device &device) noexcept { // nullptr: not asked for yet
    return memory_of(device).default_pool.load(std::memory_order_acquire);
}
inline Status default_pool(Device &device, PoolSlot **out) noexcept {
    *out = known_default_pool(device);
    return *out != nullptr ? kOk : default_pool_slowly(device, out);
}
// The pool that the thread allocates from on the device. It lives until the thread makes another one current.
inline Status current_pool(const ThreadBlock &thread, Device &device, PoolSlot **out) noexcept {
    const PoolThread *mine = thread.core ? thread.core->pools : nullptr;
    *out = mine ? mine->current[device.index] : nullptr;
    return *out ? kOk : default_pool(device, out);
}
Status set_current_pool(CoreThread &core, uint64_t handle) noexcept;
Status retain_pool(uint64_t handle) noexcept;
Status release_pool(ThreadBlock &thread, uint64_t handle) noexcept;
// Destroys the driver's pools of those that have ended and whose memory is freed.
void finish_ended_pools(ThreadBlock &thread) noexcept;
// The same of one whose last block was freed.
void finish_empty_pool(PoolSlot &slot) noexcept;

// A pool that a call uses: it does not end while this lives. If it is to end then, the next call that creates, destroys or
// trims a pool does so.
class PoolUse {
public:
    PoolUse() noexcept = default;
    ~PoolUse() {
        if (counted_) leave();
    }
    PoolUse(const PoolUse &) = delete;
    PoolUse &operator=(const PoolUse &) = delete;

    // INVALID_HANDLE: there is no such pool.
    Status enter(uint64_t handle) noexcept {
        pool_ = g_pools.find(handle);
        // The slot may have become the default pool's after the handle was found: is it the slot's still?
        const bool immortal = pool_ && pool_ == known_default_pool(*pool_->device) && g_pools.find(handle) == pool_;
        return immortal ? kOk : enter_counted(handle);
    }
    PoolSlot &pool() const noexcept { return *pool_; }

private:
    Status enter_counted(uint64_t handle) noexcept;
    void leave() noexcept;

    PoolSlot *pool_ = nullptr;
    bool counted_ = false; // false for a default pool, which never ends
};

// What is done with pools beside allocating from them.
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
