// SPDX-License-Identifier: Apache-2.0
#include "core/event/event_cache.hpp"

#include "base/fork_state.hpp"
#include "base/log.hpp"
#include "base/testing.hpp"
#include "core/event/spare_events.hpp"

namespace gs {
namespace {

constexpr uint32_t kBatch = 64;  // retired slots per grace period
constexpr uint32_t kRefill = 32; // slots moved between a thread and the global lists at once

Mutex g_mutex;
EventList g_free[kEventClasses] GS_GUARDED_BY(g_mutex);
EventList g_retired GS_GUARDED_BY(g_mutex); // of exited threads

int class_of(uint32_t flags) noexcept { return event_class(flags); }

// Gives up the driver event if it may not serve another owner.
void shed_native(EventSlot &slot) noexcept {
    const uint32_t traits = slot.traits.load(std::memory_order_relaxed);
    const uintptr_t native = slot.native.load(std::memory_order_relaxed);
    if (native == 0 || (traits & (kEventNoPool | kEventBorrowed)) == 0) return;
    if ((traits & kEventBorrowed) == 0) destroy_native_event(*slot.native_device, native);
    slot.native.store(0, std::memory_order_relaxed);
    slot.native_device = nullptr;
}

int free_class(const EventSlot &slot) noexcept {
    return slot.native.load(std::memory_order_relaxed) == 0 ? kBareClass : class_of(slot.flags);
}

void move(EventList &from, EventList &to, uint32_t count) noexcept {
    for (; count > 0; --count)
        if (EventSlot *slot = from.pop()) to.push(slot);
}

void make_free(EventCache &cache, EventSlot &slot) noexcept {
    shed_native(slot);
    slot.device.store(nullptr, std::memory_order_relaxed);
    EventList &list = cache.free[free_class(slot)];
    list.push(&slot);
    if (list.count <= kMaxFreeEvents) return;
    MutexLock lock(g_mutex);
    move(list, g_free[free_class(slot)], kMaxFreeEvents / 2);
}

// Moves on what can be moved on. all: begin a period even for less than a batch.
void collect(ThreadBlock &thread, EventCache &cache, bool all) noexcept {
    if (cache.waiting.count == 0 && cache.retired.count >= (all ? 1 : kBatch)) {
        std::swap(cache.waiting, cache.retired);
        cache.grace.begin(&thread);
        thread.counters.reclaim_rounds.add();
    }
    if (cache.waiting.count == 0 || !cache.grace.over()) return;
    GS_YIELD(BeforeReuse);
    EventList done;
    std::swap(done, cache.waiting);
    while (EventSlot *slot = done.pop()) {
        if (slot->pins.load(std::memory_order_seq_cst) != 0)
            cache.retired.push(slot); // a blocking call is still inside
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

EventSlot *take_global(EventCache &cache, int event_class) noexcept {
    MutexLock lock(g_mutex);
    move(g_retired, cache.retired, kRefill);
    move(g_free[event_class], cache.free[event_class], kRefill);
    if (cache.free[event_class].count == 0) move(g_free[kBareClass], cache.free[kBareClass], kRefill);
    return cache.free[event_class].pop();
}

EventSlot *take_any(ThreadBlock &thread, EventCache &cache, int event_class) noexcept {
    collect(thread, cache, false);
    if (EventSlot *slot = cache.free[event_class].pop()) return slot;
    if (EventSlot *slot = take_global(cache, event_class)) return slot;
    if (EventSlot *slot = cache.free[kBareClass].pop()) return slot; // the refill may have brought some
    return take_fresh(cache);
}

} // namespace

EventSlot *take_stored_event_slot(ThreadBlock &thread, EventCache &cache, uint32_t flags) noexcept {
    prepare_marks();
    return take_any(thread, cache, class_of(flags));
}

void give_other_event_slot(ThreadBlock &thread, EventCache &cache, EventSlot &slot, bool sole) noexcept {
    if (sole) {
        make_free(cache, slot);
        return;
    }
    cache.retired.push(&slot);
    // A driver event that others know must go soon, not with the next full batch.
    const bool prompt = (slot.traits.load(std::memory_order_relaxed) & kEventNoPool) != 0;
    if (prompt || cache.retired.count >= kBatch) collect(thread, cache, prompt);
}

void give_all_events(EventCache &cache) noexcept {
    MutexLock lock(g_mutex);
    for (int i = 0; i < kEventClasses; ++i) move(cache.free[i], g_free[i], cache.free[i].count);
    move(cache.retired, g_retired, cache.retired.count);
    move(cache.waiting, g_retired, cache.waiting.count);
}

Status trim_events(ThreadBlock &thread, EventCache &cache) noexcept {
    collect(thread, cache, true);
    for (int i = 0; i < kBareClass; ++i) {
        EventList list;
        std::swap(list, cache.free[i]);
        {
            MutexLock lock(g_mutex);
            move(g_free[i], list, g_free[i].count);
        }
        while (EventSlot *slot = list.pop()) {
            destroy_native_event(*slot->native_device, slot->native.exchange(0, std::memory_order_relaxed));
            slot->native_device = nullptr;
            cache.free[kBareClass].push(slot);
        }
    }
    trim_spare_events();
    return kOk;
}

Mutex &event_cache_mutex() noexcept { return g_mutex; }

} // namespace gs
