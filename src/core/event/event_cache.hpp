// SPDX-License-Identifier: Apache-2.0
// Dead event slots on their way to the next event, per thread. A slot keeps its driver event, so that creating and
// destroying an event needs no lock, no memory and no call of the driver once warm.
//
// A slot whose event was used by one thread only is free at once. The others wait for a grace period: a call on the old
// handle may still be inside the driver.
#pragma once

#include "core/slots.hpp"
#include "handle/slot_map.hpp"

namespace gs {

// Free slots are kept by the flags of their driver event; those of the last class have none.
inline constexpr int kEventClasses = 5;
inline constexpr int kBareClass = 4;
inline constexpr uint32_t kMaxFreeEvents = 256; // of one class, in a thread's own list

inline int event_class(uint32_t flags) noexcept {
    if (flags & GS_EVENT_INTERPROCESS) return kBareClass;
    return static_cast<int>(flags & (GS_EVENT_TIMING | GS_EVENT_BLOCKING));
}
static_assert((GS_EVENT_TIMING | GS_EVENT_BLOCKING) < kBareClass);

// A thread's own dead slots.
struct EventCache {
    FreeList<EventSlot> free[kEventClasses];
    Reclaimer<EventSlot> ended;
};

EventSlot *take_stored_event_slot(ThreadBlock &thread, EventCache &cache, uint32_t flags) noexcept;
void give_other_event_slot(ThreadBlock &thread, EventCache &cache, EventSlot &slot, bool sole) noexcept;

// Takes a free slot for an event with these flags; its native may be non-zero. nullptr: memory or handles are out.
inline EventSlot *take_event_slot(ThreadBlock &thread, EventCache &cache, uint32_t flags) noexcept {
    EventSlot *slot = cache.free[event_class(flags)].pop();
    // Before the shared lists, which take a lock: an unrecorded event needs no driver event.
    if (!slot) slot = cache.free[kBareClass].pop();
    if (!slot) slot = take_stored_event_slot(thread, cache, flags);
    if (slot && slot->native.load(std::memory_order_relaxed) != 0) thread.counters.event_pool_hits.add();
    return slot;
}

// Takes back a slot whose handle this thread has just cleared. sole: this thread alone has used the event, and is inside no
// other call.
inline void give_event_slot(ThreadBlock &thread, EventCache &cache, EventSlot &slot, bool sole) noexcept {
    const bool bare = slot.native.load(std::memory_order_relaxed) == 0;
    constexpr uint32_t kShedding = kEventNoPool | kEventBorrowed | kEventHeld;
    const bool sheds = !bare && (slot.traits.load(std::memory_order_relaxed) & kShedding) != 0;
    FreeList<EventSlot> &list = cache.free[bare ? kBareClass : event_class(slot.flags)];
    if (!sole || sheds || list.count() >= kMaxFreeEvents) {
        give_other_event_slot(thread, cache, slot, sole);
        return;
    }
    set_state(slot, EventState::Free);
    slot.device.store(nullptr, std::memory_order_relaxed);
    list.push(slot);
}
// A free slot that is used up ends here, with its driver event.
void drop_event_slot(EventSlot &slot) noexcept __attribute__((cold));

// Thread exit: moves everything to the shared lists. Makes no driver call.
void give_all_events(EventCache &cache) noexcept;
// gs_trim: returns the driver events of this thread's and the shared free slots to the driver.
Status trim_events(ThreadBlock &thread, EventCache &cache) noexcept;

} // namespace gs
