// SPDX-License-Identifier: Apache-2.0
#include "core/token/token_slot.hpp"

#include <new>
#include <utility>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "core/event/event_calls.hpp"
#include "core/token/token_layout.hpp"

namespace gs {
namespace {

constexpr int kLeasesLookedAt = 4; // by a create, before it takes a new cell

struct TokenPool {
    Mutex mutex;
    TokenFile *files GS_GUARDED_BY(mutex) = nullptr;
    TokenSlot *free GS_GUARDED_BY(mutex) = nullptr;
    TokenSlot *oldest GS_GUARDED_BY(mutex) = nullptr;  // lease that was not looked at for the longest time
    TokenSlot **newest GS_GUARDED_BY(mutex) = nullptr; // end of the list, unless it is empty

    void append(TokenSlot &slot) noexcept GS_REQUIRES(mutex) {
        slot.next = nullptr;
        if (!oldest) newest = &oldest;
        *newest = &slot;
        newest = &slot.next;
    }
    TokenSlot *take_oldest() noexcept GS_REQUIRES(mutex) {
        TokenSlot *slot = oldest;
        if (slot) oldest = slot->next;
        return slot;
    }
};

constinit TokenPool g_token_pools[kMaxDevices];
std::atomic<int64_t> g_lease_ms{-1};

uint64_t lease_ns() noexcept {
    int64_t ms = g_lease_ms.load(std::memory_order_relaxed);
    if (ms < 0) {
        ms = env_number(kTokenLeaseNumber);
        g_lease_ms.store(ms, std::memory_order_relaxed);
    }
    return static_cast<uint64_t>(ms) * 1000000u;
}

TokenPool &pool_of(const Device &device) noexcept { return g_token_pools[device.index]; }

TokenSlot *take_free(TokenPool &pool) noexcept {
    MutexLock lock(pool.mutex);
    TokenSlot *slot = pool.free;
    if (slot) pool.free = slot->next;
    return slot;
}

// Of an ended lease. A slot is in no list while it is looked at: the look calls the backend.
TokenSlot *take_ended_lease(ThreadBlock &thread, TokenPool &pool) noexcept {
    for (int looks = 0; looks < kLeasesLookedAt; ++looks) {
        TokenSlot *slot = nullptr;
        {
            MutexLock lock(pool.mutex);
            slot = pool.take_oldest();
        }
        if (!slot) return nullptr;
        const Lease lease = look_at_lease(thread, *slot, lease_ns(), pool.mutex);
        if (lease == Lease::Over) return slot;
        if (lease == Lease::Lost) continue; // never used again: its device has failed
        MutexLock lock(pool.mutex);
        pool.append(*slot);
    }
    return nullptr;
}

TokenSlot *take_fresh(TokenPool &pool) noexcept {
    MutexLock lock(pool.mutex);
    TokenFile *file = pool.files; // the newest, as a rule; two threads may have added one each
    while (file && file->fresh == kTokenCells) file = file->next;
    if (!file) return nullptr;
    TokenSlot &slot = file->slots[file->fresh];
    slot.file = file;
    slot.number = file->fresh++;
    return &slot;
}

Status add_file(TokenPool &pool, Device &device) noexcept {
    TokenFile *file = nullptr;
    GS_TRY(create_token_file(device, &file));
    MutexLock lock(pool.mutex);
    file->next = pool.files;
    pool.files = file;
    return kOk;
}

// The event of a slot is made once, and exported before any token names it.
Status make_slot_event(TokenSlot &slot) noexcept {
    if (slot.event != 0) return kOk;
    Device &device = *slot.file->device;
    uintptr_t event = 0;
    GS_TRY(device.backend->event_create(device.ordinal, GS_EVENT_INTERPROCESS, &event));
    if (const Status status = device.backend->event_ipc_export(device.ordinal, event, &slot.cell().event);
        !status.ok()) {
        destroy_native_event(device, event);
        return status;
    }
    slot.event = event;
    return kOk;
}

// All slots of the file that were ever used are free, and leave the list.
bool take_idle_file(TokenPool &pool, TokenFile &file) noexcept GS_REQUIRES(pool.mutex) {
    uint32_t idle = 0;
    for (const TokenSlot *slot = pool.free; slot; slot = slot->next) idle += slot->file == &file;
    if (idle != file.fresh) return false;
    for (TokenSlot **place = &pool.free; *place;)
        if ((*place)->file == &file)
            *place = (*place)->next;
        else
            place = &(*place)->next;
    return true;
}

void remove_idle_files(TokenPool &pool) noexcept {
    TokenFile *removed = nullptr;
    {
        MutexLock lock(pool.mutex);
        for (TokenFile **place = &pool.files; TokenFile *file = *place;) {
            if (!take_idle_file(pool, *file)) {
                place = &file->next;
                continue;
            }
            *place = file->next;
            file->next = std::exchange(removed, file);
        }
    }
    while (TokenFile *file = removed) {
        removed = file->next;
        for (const TokenSlot &slot : file->slots)
            if (slot.event != 0) destroy_native_event(*file->device, slot.event);
        destroy_token_file(*file);
    }
}

} // namespace

Status take_token_slot(ThreadBlock &thread, Device &device, TokenSlot **out) noexcept {
    TokenPool &pool = pool_of(device);
    TokenSlot *slot = take_free(pool);
    if (!slot) slot = take_ended_lease(thread, pool);
    if (!slot) slot = take_fresh(pool);
    while (!slot) {
        GS_TRY(add_file(pool, device));
        slot = take_fresh(pool); // other threads may have taken them all
    }
    if (slot->file->shared->crowded.load(std::memory_order_relaxed) != 0) drop_dead_readers(*slot->file);
    const Status status = make_slot_event(*slot);
    if (!status.ok()) {
        give_token_slot(*slot);
        return status;
    }
    *out = slot;
    return kOk;
}

void give_token_slot(TokenSlot &slot) noexcept {
    TokenPool &pool = pool_of(*slot.file->device);
    MutexLock lock(pool.mutex);
    slot.next = std::exchange(pool.free, &slot);
}

uint64_t lease_token_slot(TokenSlot &slot) noexcept {
    TokenPool &pool = pool_of(*slot.file->device);
    TokenCell &cell = slot.cell();
    const uint64_t generation = cell.generation.load(std::memory_order_relaxed) + 1;
    slot.created_ns = monotonic_ns();
    MutexLock lock(pool.mutex);
    begin_generation(cell, generation);
    pool.append(slot);
    return generation;
}

TokenSlot *use_token_slot(Device &device, uint64_t nonce, uint32_t cell, uint64_t generation) noexcept {
    TokenPool &pool = pool_of(device);
    MutexLock lock(pool.mutex);
    for (TokenFile *file = pool.files; file; file = file->next) {
        if (file->name.nonce != nonce) continue;
        TokenSlot &slot = file->slots[cell];
        if (!slot.file) return nullptr; // the cell has had no token yet
        const uint64_t now = slot.cell().generation.load(std::memory_order_relaxed);
        if (now != generation) return nullptr;
        ++slot.users;
        return &slot;
    }
    return nullptr;
}

void leave_token_slot(TokenSlot &slot) noexcept {
    MutexLock lock(pool_of(*slot.file->device).mutex);
    --slot.users;
}

void trim_tokens(ThreadBlock &thread) noexcept {
    for (TokenPool &pool : g_token_pools) {
        TokenSlot *leased = nullptr;
        {
            MutexLock lock(pool.mutex);
            leased = std::exchange(pool.oldest, nullptr);
        }
        while (TokenSlot *slot = leased) {
            leased = slot->next;
            const Lease lease = look_at_lease(thread, *slot, lease_ns(), pool.mutex);
            if (lease == Lease::Over) give_token_slot(*slot);
            MutexLock lock(pool.mutex);
            if (lease == Lease::Goes) pool.append(*slot);
        }
        remove_idle_files(pool);
    }
}

} // namespace gs
