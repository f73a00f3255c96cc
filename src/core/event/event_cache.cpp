// SPDX-License-Identifier: Apache-2.0
#include "core/event/event_cache.hpp"

#include "base/testing.hpp"
#include "core/event/held_record.hpp"
#include "core/event/known_events.hpp"
#include "core/event/spare_events.hpp"
#include "core/fork_locks.hpp"

namespace gs {
namespace {

constexpr uint32_t kBatch = 64;  // retired slots per grace period
constexpr uint32_t kRefill = 32; // slots moved from the shared lists to a thread at once

EventList g_free[kEventClasses] GS_GUARDED_BY(g_event_lists_mutex);
EventList g_retired GS_GUARDED_BY(g_event_lists_mutex); // of threads that have ended

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
        slot.release(slot.release_arg); // no lock is held
    else if ((traits & kEventBorrowed) == 0)
        destroy_native_event(device, native);
}

int free_class(const EventSlot &slot) noexcept {
    return slot.native.load(std::memory_order_relaxed) == 0 ? kBareClass : event_class(slot.flags);
}

void move(EventList &from, EventList &to, uint32_t count) noexcept {
    for (; count > 0; --count)
        if (EventSlot *slot = from.pop()) to.push(slot);
}

void make_free(EventCache &cache, EventSlot &slot) noexcept {
    shed_native(slot);
    set_state(slot, EventState::Free);
    slot.device.store(nullptr, std::memory_order_relaxed);
    const int index = free_class(slot);
    EventList &list = cache.free[index];
    list.push(&slot);
    if (list.count <= kMaxFreeEvents) return;
    MutexLock lock(g_event_lists_mutex);
    move(list, g_free[index], kMaxFreeEvents / 2);
}

void retire(EventCache &cache, EventSlot &slot) noexcept {
    set_state(slot, EventState::Retired);
    cache.retired.push(&slot);
}

// Frees what a grace period has passed for, and begins the next one. all: also for less than a batch.
void collect(ThreadBlock &thread, EventCache &cache, bool all) noexcept {
    if (cache.waiting.count == 0 && cache.retired.count >= (all ? 1 : kBatch)) {
        std::swap(cache.waiting, cache.retired);
        for (EventSlot *slot = cache.waiting.head; slot; slot = slot->next) set_state(*slot, EventState::Waiting);
        cache.grace.begin(&thread);
        thread.counters.reclaim_rounds.add();
    }
    if (cache.waiting.count == 0 || !cache.grace.over()) return;
    GS_YIELD(BeforeReuse);
    EventList done;
    std::swap(done, cache.waiting);
    while (EventSlot *slot = done.pop()) {
        if (slot->pins.load(std::memory_order_seq_cst) != 0)
            retire(cache, *slot); // a blocking call is still inside
        else
            make_free(cache, *slot);
    }
}

EventSlot *take_fresh(EventCache &cache) noexcept {
    EventSlot *fresh[kRefill];
    const uint32_t count = event_slots().take_fresh(fresh, kRefill);
    for (uint32_t i = 0; i < count; ++i) cache.free[kBareClass].push(fresh[i]);
    return cache.free[kBareClass].pop();
}

EventSlot *take_shared(EventCache &cache, int index) noexcept {
    MutexLock lock(g_event_lists_mutex);
    move(g_retired, cache.retired, kRefill);
    move(g_free[index], cache.free[index], kRefill);
    if (cache.free[index].count == 0) move(g_free[kBareClass], cache.free[kBareClass], kRefill);
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
    if (sole || GS_BUG(ReuseWithoutGrace)) {
        make_free(cache, slot);
        return;
    }
    retire(cache, slot);
    // A driver event that is known outside must go soon, not with the next full batch.
    const bool prompt = (slot.traits.load(std::memory_order_relaxed) & kEventNoPool) != 0;
    if (prompt || cache.retired.count >= kBatch) collect(thread, cache, prompt);
}

void drop_event_slot(EventSlot &slot) noexcept {
    const uintptr_t native = slot.native.exchange(0, std::memory_order_relaxed);
    if (native != 0) destroy_native_event(*slot.native_device, native);
    slot.native_device = nullptr;
    set_state(slot, EventState::Dropped);
}

void give_all_events(EventCache &cache) noexcept {
    // Retired and waiting slots must begin a new period on the thread that takes them.
    while (EventSlot *slot = cache.waiting.pop()) retire(cache, *slot);
    MutexLock lock(g_event_lists_mutex);
    for (int i = 0; i < kEventClasses; ++i) move(cache.free[i], g_free[i], cache.free[i].count);
    move(cache.retired, g_retired, cache.retired.count);
}

Status trim_events(ThreadBlock &thread, EventCache &cache) noexcept {
    {
        MutexLock lock(g_event_lists_mutex);
        move(g_retired, cache.retired, g_retired.count);
    }
    collect(thread, cache, true); // ends the period that has begun
    collect(thread, cache, true); // those that it did not cover
    for (int i = 0; i < kBareClass; ++i) {
        EventList list;
        std::swap(list, cache.free[i]);
        {
            MutexLock lock(g_event_lists_mutex);
            move(g_free[i], list, g_free[i].count);
        }
        while (EventSlot *slot = list.pop()) {
            destroy_native_event(*slot->native_device, slot->native.exchange(0, std::memory_order_relaxed));
            slot->native_device = nullptr;
            cache.free[kBareClass].push(slot);
        }
    }
    collect_held_records(&thread);
    trim_spare_events();
    return kOk;
}

} // namespace gs
