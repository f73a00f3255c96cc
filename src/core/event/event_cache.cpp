// SPDX-License-Identifier: Apache-2.0
#include "core/event/event_cache.hpp"

#include "base/testing.hpp"
#include "core/event/event_calls.hpp"
#include "core/fork_locks.hpp"

namespace gs {
namespace {

constexpr uint32_t kBatch = 64;  // retired slots per grace period
constexpr uint32_t kRefill = 32; // slots moved from the shared lists to a thread at once

FreeList<EventSlot> g_free[kEventClasses] GS_GUARDED_BY(g_event_lists_mutex);
FreeList<EventSlot> g_retired GS_GUARDED_BY(g_event_lists_mutex); // of threads that have ended

// Drops the driver event if it may not serve another owner.
void shed_native(EventSlot &slot) noexcept {
    const uint32_t traits = slot.traits.load(std::memory_order_relaxed);
    const uintptr_t native = slot.native.load(std::memory_order_relaxed);
    if (native == 0) return;
    if ((traits & kEventHeld) != 0 && leave_to_holders(slot)) return;
    if ((traits & (kEventNoPool | kEventBorrowed)) == 0) return;
    Device &device = *slot.native_device;
    slot.native.store(0, std::memory_order_relaxed);
    slot.native_device = nullptr;
    if (traits & kEventReleased)
        slot.release();
    else if ((traits & kEventBorrowed) == 0)
        destroy_native_event(device, native);
}

int free_class(const EventSlot &slot) noexcept {
    return slot.native.load(std::memory_order_relaxed) == 0 ? kBareClass : event_class(slot.flags);
}

void make_free(EventCache &cache, EventSlot &slot) noexcept {
    shed_native(slot);
    set_state(slot, EventState::Free);
    slot.device.store(nullptr, std::memory_order_relaxed);
    const int index = free_class(slot);
    FreeList<EventSlot> &list = cache.free[index];
    list.push(slot);
    if (list.count() <= kMaxFreeEvents) return;
    MutexLock lock(g_event_lists_mutex);
    g_free[index].take_from(list, kMaxFreeEvents / 2);
}

// Frees what a grace period has passed for, and begins the next one. all: also for less than a batch.
void collect(ThreadBlock &thread, EventCache &cache, bool all) noexcept {
    if (cache.ended.begin(all ? 1 : kBatch)) thread.counters.reclaim_rounds.add();
    FreeList<EventSlot> done = cache.ended.take_over();
    GS_YIELD(BeforeReuse);
    while (EventSlot *slot = done.pop()) make_free(cache, *slot);
}

EventSlot *take_fresh(EventCache &cache) noexcept {
    EventSlot *fresh[kRefill];
    const uint32_t count = event_slots().take_fresh(fresh, kRefill);
    for (uint32_t i = 0; i < count; ++i) cache.free[kBareClass].push(*fresh[i]);
    return cache.free[kBareClass].pop();
}

EventSlot *take_shared(EventCache &cache, int index) noexcept {
    MutexLock lock(g_event_lists_mutex);
    cache.ended.retire_from(g_retired, kRefill);
    cache.free[index].take_from(g_free[index], kRefill);
    if (cache.free[index].empty()) cache.free[kBareClass].take_from(g_free[kBareClass], kRefill);
    return cache.free[index].pop();
}

EventSlot *take_any(ThreadBlock &thread, EventCache &cache, int index) noexcept {
    collect(thread, cache, false);
    if (EventSlot *slot = cache.free[index].pop()) return slot;
    if (EventSlot *slot = take_shared(cache, index)) return slot;
    if (EventSlot *slot = cache.free[kBareClass].pop()) return slot; // the refill may have brought some
    return take_fresh(cache);
}

} // namespace

EventSlot *take_stored_event_slot(ThreadBlock &thread, EventCache &cache, uint32_t flags) noexcept {
    prepare_marks();
    return take_any(thread, cache, event_class(flags));
}

void give_other_event_slot(ThreadBlock &thread, EventCache &cache, EventSlot &slot, bool sole) noexcept {
    if (slot.traits.load(std::memory_order_relaxed) & kEventKnown) forget_event(slot);
    if (sole) {
        make_free(cache, slot);
        return;
    }
    set_state(slot, EventState::Retired);
    cache.ended.retire(slot);
    // A driver event that is known outside must go soon, not with the next full batch.
    const bool prompt = (slot.traits.load(std::memory_order_relaxed) & kEventNoPool) != 0;
    if (prompt || cache.ended.retired() >= kBatch) collect(thread, cache, prompt);
}

void drop_event_slot(EventSlot &slot) noexcept {
    const uintptr_t native = slot.native.exchange(0, std::memory_order_relaxed);
    if (native != 0) destroy_native_event(*slot.native_device, native);
    slot.native_device = nullptr;
    set_state(slot, EventState::Dropped);
}

void give_all_events(EventCache &cache) noexcept {
    MutexLock lock(g_event_lists_mutex);
    for (int i = 0; i < kEventClasses; ++i) g_free[i].take_from(cache.free[i]);
    cache.ended.leave_all(g_retired);
}

Status trim_events(ThreadBlock &thread, EventCache &cache) noexcept {
    {
        MutexLock lock(g_event_lists_mutex);
        cache.ended.retire_from(g_retired);
    }
    collect(thread, cache, true); // ends the period that has begun
    collect(thread, cache, true); // those that it did not cover
    for (int i = 0; i < kBareClass; ++i) {
        {
            MutexLock lock(g_event_lists_mutex);
            cache.free[i].take_from(g_free[i]);
        }
        while (EventSlot *slot = cache.free[i].pop()) {
            destroy_native_event(*slot->native_device, slot->native.exchange(0, std::memory_order_relaxed));
            slot->native_device = nullptr;
            cache.free[kBareClass].push(*slot);
        }
    }
    collect_held_records();
    trim_spare_events();
    return kOk;
}

} // namespace gs
