// SPDX-License-Identifier: Apache-2.0
#include "core/event/known_events.hpp"

#include <map>
#include <new>
#include <utility>

namespace gs {
namespace {

using Key = std::pair<const Backend *, uintptr_t>;

Mutex g_known_events_mutex;

// On the heap and never destroyed: other threads may call while the process exits.
std::map<Key, uint64_t> &map() GS_REQUIRES(g_known_events_mutex) {
    static auto *const immortal = new std::map<Key, uint64_t>;
    return *immortal;
}

Key key_of(const EventSlot &slot) noexcept {
    return {slot.native_device->backend, slot.native.load(std::memory_order_relaxed)};
}

Status no_memory() noexcept { return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to remember the raw handle of an event"); }

} // namespace

Status remember_event(EventSlot &slot) noexcept {
    if (slot.traits.load(std::memory_order_acquire) & kEventKnown) return kOk;
    try {
        MutexLock lock(g_known_events_mutex);
        // What another event left behind, whose driver event has ended with it, is replaced.
        map()[key_of(slot)] = slot.handle.load(std::memory_order_relaxed);
    } catch (const std::bad_alloc &) {
        return no_memory();
    }
    slot.traits.fetch_or(kEventKnown, std::memory_order_release);
    return kOk;
}

void forget_event(EventSlot &slot) noexcept {
    MutexLock lock(g_known_events_mutex);
    const auto found = map().find(key_of(slot));
    // The slot still knows its generation. A newer wrap of the same driver event may have taken the place.
    if (found != map().end() && found->second == make_handle(Kind::Event, 0, slot.generation, slot.index))
        map().erase(found);
}

Status enter_event(EventSlot &slot, uint64_t handle, bool *out_first) noexcept {
    try {
        MutexLock lock(g_known_events_mutex);
        uint64_t &entry = map()[key_of(slot)];
        *out_first = entry == 0 || !event_slots().find(entry);
        if (*out_first) entry = handle;
    } catch (const std::bad_alloc &) {
        return no_memory();
    }
    if (*out_first) slot.traits.fetch_or(kEventKnown, std::memory_order_release);
    return kOk;
}

uint64_t find_known_event(const Backend &backend, uintptr_t native) noexcept {
    MutexLock lock(g_known_events_mutex);
    const auto found = map().find(Key{&backend, native});
    return found == map().end() || !event_slots().find(found->second) ? 0 : found->second;
}

} // namespace gs
