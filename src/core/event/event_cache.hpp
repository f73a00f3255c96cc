// SPDX-License-Identifier: Apache-2.0
// Dead event slots waiting for their next event, per thread. A slot keeps its driver event, so that creating and
// destroying an event calls no driver, takes no lock and allocates nothing once warm.
//
// A slot destroyed by the only thread that ever used it is free at once. Any other waits here for a grace period: a call
// on its old handle may still be inside the driver.
#pragma once

#include "core/slots.hpp"
#include "handle/grace.hpp"

namespace gs {

// Slots are kept by what their driver event was created with; the last class has no driver event.
inline constexpr int kEventClasses = 5;
inline constexpr int kBareClass = 4;
inline constexpr uint32_t kMaxFreeEvents = 256; // a thread's own stock per class

struct EventList {
    EventSlot *head = nullptr;
    uint32_t count = 0;

    void push(EventSlot *slot) noexcept {
        slot->next = head;
        head = slot;
        ++count;
    }
    EventSlot *pop() noexcept {
        EventSlot *slot = head;
        if (slot) {
            head = slot->next;
            --count;
        }
        return slot;
    }
};

struct EventCache {
    EventList free[kEventClasses];
    EventList retired; // handles cleared, no grace period begun yet
    EventList waiting; // in the grace period
    Grace grace;
};

inline int event_class(uint32_t flags) noexcept {
    if (flags & GS_EVENT_INTERPROCESS) return kBareClass;
    return static_cast<int>(flags & (GS_EVENT_TIMING | GS_EVENT_BLOCKING));
}
static_assert((GS_EVENT_TIMING | GS_EVENT_BLOCKING) < kBareClass);

EventSlot *take_stored_event_slot(ThreadBlock &thread, EventCache &cache, uint32_t flags) noexcept;
void give_other_event_slot(ThreadBlock &thread, EventCache &cache, EventSlot &slot, bool sole) noexcept;

// A dead slot for a new event with these flags; nullptr: memory or handles are out. Its native may be non-zero.
inline EventSlot *take_event_slot(ThreadBlock &thread, EventCache &cache, uint32_t flags) noexcept {
    EventSlot *slot = cache.free[event_class(flags)].pop();
    // Before the shared lists: an event that is never recorded needs no driver event, so creating it needs no lock.
    if (!slot) slot = cache.free[kBareClass].pop();
    if (__builtin_expect(!slot, 0)) slot = take_stored_event_slot(thread, cache, flags);
    if (slot && slot->native.load(std::memory_order_relaxed) != 0) thread.counters.event_pool_hits.add();
    return slot;
}

// The slot's handle was just cleared by this thread. sole: no other thread ever used the object.
inline void give_event_slot(ThreadBlock &thread, EventCache &cache, EventSlot &slot, bool sole) noexcept {
    const bool bare = slot.native.load(std::memory_order_relaxed) == 0;
    const bool sheds = !bare && (slot.traits.load(std::memory_order_relaxed) & (kEventNoPool | kEventBorrowed)) != 0;
    EventList &list = cache.free[bare ? kBareClass : event_class(slot.flags)];
    if (__builtin_expect(!sole || sheds || list.count >= kMaxFreeEvents, 0)) {
        give_other_event_slot(thread, cache, slot, sole);
        return;
    }
    slot.device.store(nullptr, std::memory_order_relaxed);
    list.push(&slot);
}
// Thread exit: everything goes to the global lists. Makes no driver call.
void give_all_events(EventCache &cache) noexcept;
// gs_trim: gives the driver events of this thread's and the global free slots back to the driver.
Status trim_events(ThreadBlock &thread, EventCache &cache) noexcept;

Mutex &event_cache_mutex() noexcept; // of the global lists, for guard_locks_in_fork

} // namespace gs
