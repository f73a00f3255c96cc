// SPDX-License-Identifier: Apache-2.0
#include "core/memory/pools.hpp"

#include <new>
#include <utility>

#include "base/env.hpp"
#include "base/log.hpp"
#include "base/status.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/names.hpp"
#include "core/stream/stream_life.hpp"

namespace gs {

constinit PoolSlots g_pools;

namespace {

std::atomic<bool> g_any_ended{false};

// body(slot) under the lock of the device's memory.
template <typename Body>
Status with_pool(uint64_t handle, Body &&body) noexcept {
    PoolSlot *slot = g_pools.find(handle);
    if (!slot) return no_such_object(Kind::Pool, handle);
    BriefGuard lock(memory_of(*slot->device).mutex);
    if (slot->handle.load(std::memory_order_relaxed) != handle) return no_such_object(Kind::Pool, handle);
    return body(*slot);
}

// What the environment adds to the flags of each pool. It may have to be warned of, so no lock is held.
uint32_t flags_of_all() noexcept { return env_number(kPoisonNumber) != 0 ? uint32_t{GS_POOL_POISON} : 0u; }

// With the lock held.
void begin_pool(PoolSlot &slot, uintptr_t native, uint32_t flags, const gs_pool_options_t &options) noexcept {
    slot.native = native;
    slot.flags = flags;
    slot.limit = options.limit_bytes;
    slot.inside = 0;
    slot.held = slot.held_peak = slot.held_most = 0;
    slot.counts = {};
    slot.users.store(1, std::memory_order_relaxed);
    slot.handle.store(g_pools.next_handle(slot, static_cast<uint32_t>(slot.device->kind)), std::memory_order_seq_cst);
}

Status take_pool_slot(Device &device, PoolSlot **out) noexcept {
    DeviceMemory &memory = memory_of(device);
    {
        BriefGuard lock(memory.mutex);
        *out = memory.free_pools.take(g_pools);
    }
    if (!*out) return no_slot(Kind::Pool);
    (*out)->device = &device;
    return kOk;
}

void give_pool_slot(DeviceMemory &memory, PoolSlot &slot) noexcept {
    BriefGuard lock(memory.mutex);
    memory.free_pools.give(slot);
}

// The last reference is gone, or the last call has left the pool. With the lock held.
void end_pool(PoolSlot &slot) noexcept {
    slot.handle.store(0, std::memory_order_seq_cst);
    if (slot.inside != 0) return;
    DeviceMemory &memory = memory_of(*slot.device);
    slot.next = std::exchange(memory.ended_pools, &slot);
    g_any_ended.store(true, std::memory_order_release);
}

// With the lock held. False: there was no such reference.
bool leave_pool(PoolSlot &slot, uint64_t reference) noexcept {
    const uint64_t users = drop_user(slot, reference);
    if (users == reference) end_pool(slot);
    return users != 0;
}

// The pool lives as long as it has a place: a thread's current one, or the shared one. nullptr there: the default pool. With the
// lock held.
Status replace_pool(PoolSlot *&place, PoolSlot &slot) noexcept {
    if (!slot.is_default) add_user(slot, kHolder); // the pool is live: it has a reference
    PoolSlot *before = std::exchange(place, slot.is_default ? nullptr : &slot);
    if (before) leave_pool(*before, kHolder);
    return kOk;
}

// Neither a block nor another thread refers to it.
void destroy_native(PoolSlot &slot) noexcept {
    const Device &device = *slot.device;
    const Status status =
        slot.native == 0 ? kOk : device.backend->pool_destroy(device.ordinal, slot.flags, slot.native);
    if (!status.ok())
        log_message(GS_LOG_WARNING, "a pool of %s device %d has ended and may keep memory: %s", device.backend->name(),
                    device.ordinal, pending_text());
    DeviceMemory &memory = memory_of(device);
    BriefGuard lock(memory.mutex);
    retire_pool(memory, slot);
}

// The pool has no handle and no call inside, so only frees of its blocks know it. False: it cannot end yet, since the program has
// blocks of it, or a call of another thread, or a capture, holds up a stream that keeps some.
bool destroy_pool(ThreadBlock &thread, PoolSlot &slot) noexcept {
    const Device &device = *slot.device;
    {
        CallMark mark(thread);
        bool any = false;
        log_lost_memory(device, empty_fronts(thread, device, &slot, Settle::No, &any));
    }
    bool is_empty = false;
    {
        BriefGuard lock(memory_of(device).mutex);
        is_empty = slot.block_count == 0;
    }
    if (is_empty)
        destroy_native(slot);
    else if (slot.native != 0) // of what has been freed the driver keeps nothing
        log_lost_memory(device, device.backend->pool_trim(thread, device.ordinal, slot.native, 0));
    return is_empty;
}

// For a later call. False: the last of its blocks was freed after destroy_pool() had looked.
bool keep_ended(DeviceMemory &memory, PoolSlot &slot) noexcept {
    BriefGuard lock(memory.mutex);
    if (slot.block_count == 0) return false;
    slot.next = std::exchange(memory.ended_pools, &slot);
    g_any_ended.store(true, std::memory_order_release);
    return true;
}

// Of one device. Returns those that cannot end yet.
PoolSlot *finish_pools(ThreadBlock &thread, DeviceMemory &memory) noexcept {
    PoolSlot *held_up = nullptr;
    for (;;) {
        PoolSlot *slot = nullptr;
        {
            BriefGuard lock(memory.mutex);
            slot = memory.ended_pools;
            if (!slot) return held_up;
            memory.ended_pools = slot->next;
        }
        if (!destroy_pool(thread, *slot)) slot->next = std::exchange(held_up, slot);
    }
}

// References that the thread still has. Makes no driver call: the next call that creates, destroys or trims does that.
void end_pool_thread(ThreadBlock &thread) noexcept {
    PoolThread *mine = thread.core ? thread.core->pools : nullptr;
    if (!mine) return;
    for (PoolSlot *&pool : mine->current) {
        if (!pool) continue;
        BriefGuard lock(memory_of(*pool->device).mutex);
        leave_pool(*std::exchange(pool, nullptr), kHolder);
    }
}

} // namespace

Status create_pool(ThreadBlock &thread, Device &device, const gs_pool_options_t &options,
                   uint64_t *out_handle) noexcept {
    finish_ended_pools(thread);
    GS_TRY(check_health(device));
    PoolSlot *slot = nullptr;
    GS_TRY(take_pool_slot(device, &slot));
    const uint64_t keep = options.keep_bytes != 0 ? options.keep_bytes : UINT64_MAX;
    uintptr_t native = 0;
    if (const Status status = device.backend->pool_create(device.ordinal, options.flags, keep, &native); !status.ok()) {
        give_pool_slot(memory_of(device), *slot);
        return status;
    }
    const uint32_t flags = options.flags | flags_of_all();
    {
        BriefGuard lock(memory_of(device).mutex);
        begin_pool(*slot, native, flags, options);
        *out_handle = slot->handle.load(std::memory_order_relaxed);
    }
    note_birth(*slot, *out_handle);
    return kOk;
}

Status default_pool_slowly(Device &device, PoolSlot **out) noexcept {
    PoolSlot *made = nullptr;
    GS_TRY(take_pool_slot(device, &made));
    const uint32_t flags = flags_of_all();
    DeviceMemory &memory = memory_of(device);
    BriefGuard lock(memory.mutex);
    *out = memory.default_pool.load(std::memory_order_relaxed);
    if (*out) { // another thread was first
        retire_pool(memory, *made);
        return kOk;
    }
    made->is_default = true;
    begin_pool(*made, 0, flags, {});
    memory.default_pool.store(made, std::memory_order_release);
    *out = made;
    return kOk;
}

Status set_current_pool(CoreThread &core, uint64_t handle) noexcept {
    if (!core.pools) {
        auto *made = add_thread_exit_hook(end_pool_thread) ? new (std::nothrow) PoolThread : nullptr;
        if (!made) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's current pools");
        core.pools = made;
    }
    return with_pool(
        handle, [&](PoolSlot &slot) -> Status { return replace_pool(core.pools->current[slot.device->index], slot); });
}

Status set_shared_pool(uint64_t handle) noexcept {
    return with_pool(handle, [](PoolSlot &slot) { return replace_pool(memory_of(*slot.device).shared_pool, slot); });
}

uint64_t hold_shared_pool(const Device &device) noexcept {
    DeviceMemory &memory = memory_of(device);
    BriefGuard lock(memory.mutex);
    if (!memory.shared_pool) return 0;
    add_user(*memory.shared_pool);
    return memory.shared_pool->handle.load(std::memory_order_relaxed);
}

Status retain_pool(uint64_t handle) noexcept {
    return with_pool(handle, [](PoolSlot &slot) -> Status {
        if (!slot.is_default) add_user(slot);
        return kOk;
    });
}

Status release_pool(ThreadBlock &thread, uint64_t handle) noexcept {
    GS_TRY(with_pool(handle, [&](PoolSlot &slot) -> Status {
        if (slot.is_default) return kOk;
        // A caller that destroys once too often must not end a pool that threads have current.
        if (leave_pool(slot, kCaller)) return kOk;
        return fail(GS_ERROR_INVALID_HANDLE, "pool %s has no reference left to give back",
                    describe_object(handle).text);
    }));
    finish_ended_pools(thread);
    return kOk;
}

void finish_empty_pool(PoolSlot &slot) noexcept {
    {
        DeviceMemory &memory = memory_of(*slot.device);
        BriefGuard lock(memory.mutex);
        PoolSlot **place = &memory.ended_pools;
        while (*place && *place != &slot) place = &(*place)->next;
        // Another thread may have it, or has been faster.
        if (!*place || slot.block_count != 0) return;
        *place = slot.next;
    }
    destroy_native(slot);
}

void finish_ended_pools(ThreadBlock &thread) noexcept {
    if (!g_any_ended.exchange(false, std::memory_order_acq_rel)) return;
    // A stream that several threads have used ends a while after its last reference, and frees only then what it keeps.
    collect_all_streams();
    for (int32_t index = 0; index < kMaxDevices; ++index) {
        DeviceMemory &memory = memory_at(index);
        PoolSlot *held_up = finish_pools(thread, memory);
        while (PoolSlot *slot = held_up) {
            held_up = slot->next;
            if (keep_ended(memory, *slot)) continue;
            destroy_native(*slot);
        }
    }
}

Status PoolUse::enter_counted(uint64_t handle) noexcept {
    return with_pool(handle, [&](PoolSlot &slot) -> Status {
        ++slot.inside;
        pool_ = &slot;
        counted_ = true;
        return kOk;
    });
}

void PoolUse::leave() noexcept {
    BriefGuard lock(memory_of(*pool_->device).mutex);
    if (--pool_->inside == 0 && pool_->handle.load(std::memory_order_relaxed) == 0) end_pool(*pool_);
}

} // namespace gs
