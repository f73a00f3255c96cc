// SPDX-License-Identifier: Apache-2.0
#include "core/event/event_calls.hpp"

#include <map>
#include <new>
#include <utility>

#include "base/lock.hpp"
#include "base/log.hpp"
#include "base/status.hpp"
#include "core/device/device_table.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

constexpr int kClasses = 4;
constexpr int kMaxSpares = 128; // per device and class

struct Spares {
    uintptr_t natives[kMaxSpares] = {};
    int count = 0;
};

Mutex g_spare_events_mutex;
// A constructor that ran when the library is loaded would touch all pages.
constinit Spares g_spares[kMaxDevices][kClasses] GS_GUARDED_BY(g_spare_events_mutex);

int class_of(uint32_t flags) noexcept { return static_cast<int>(flags & (GS_EVENT_TIMING | GS_EVENT_BLOCKING)); }

bool take_spare(const Device &device, uint32_t flags, uintptr_t *out) noexcept {
    MutexLock lock(g_spare_events_mutex);
    Spares &spares = g_spares[device.index][class_of(flags)];
    if (spares.count == 0) return false;
    *out = spares.natives[--spares.count];
    return true;
}

bool give_spare(const Device &device, uint32_t flags, uintptr_t native) noexcept {
    MutexLock lock(g_spare_events_mutex);
    Spares &spares = g_spares[device.index][class_of(flags)];
    if (spares.count == kMaxSpares) return false;
    spares.natives[spares.count++] = native;
    return true;
}

using NativeKey = std::pair<const Backend *, uintptr_t>;

Mutex g_known_events_mutex;

// On the heap and never destroyed: other threads may call while the process exits.
std::map<NativeKey, uint64_t> &known_events() GS_REQUIRES(g_known_events_mutex) {
    static auto *const immortal = new std::map<NativeKey, uint64_t>;
    return *immortal;
}

NativeKey key_of(const EventSlot &slot) noexcept {
    return {slot.native_device->backend, slot.native.load(std::memory_order_relaxed)};
}

Status no_memory() noexcept { return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to remember the raw handle of an event"); }

} // namespace

Status take_native_event(Device &device, uint32_t flags, uintptr_t *out) noexcept {
    if (take_spare(device, flags, out)) return kOk;
    return device.backend->event_create(device.ordinal, flags & (GS_EVENT_TIMING | GS_EVENT_BLOCKING), out);
}

void give_native_event(Device &device, uint32_t flags, uintptr_t native) noexcept {
    if (device.health->load(std::memory_order_relaxed) == 0 && give_spare(device, flags, native)) return;
    destroy_native_event(device, native);
}

void destroy_native_event(Device &device, uintptr_t native) noexcept {
    const Status status = device.backend->event_destroy(device.ordinal, native);
    if (!status.ok())
        log_message(GS_LOG_WARNING, "destroying an event of %s device %d failed: %s: %s", device.backend->name(),
                    device.ordinal, status_name(status.code), pending_text());
}

void trim_spare_events() noexcept {
    for (int index = 0; index < kMaxDevices; ++index) {
        Device *device = device_at(index);
        if (!device) continue;
        for (int i = 0; i < kClasses; ++i) {
            uintptr_t native = 0;
            while (take_spare(*device, static_cast<uint32_t>(i), &native)) destroy_native_event(*device, native);
        }
    }
}

Status remember_event(EventSlot &slot) noexcept {
    if (slot.traits.load(std::memory_order_acquire) & kEventKnown) return kOk;
    try {
        MutexLock lock(g_known_events_mutex);
        // What another event left behind, whose driver event has ended with it, is replaced.
        known_events()[key_of(slot)] = slot.handle.load(std::memory_order_relaxed);
    } catch (const std::bad_alloc &) {
        return no_memory();
    }
    slot.traits.fetch_or(kEventKnown, std::memory_order_release);
    return kOk;
}

void forget_event(EventSlot &slot) noexcept {
    MutexLock lock(g_known_events_mutex);
    const auto found = known_events().find(key_of(slot));
    // The slot still knows its generation. A newer wrap of the same driver event may have taken the place.
    if (found != known_events().end() && found->second == make_handle(Kind::Event, 0, slot.generation, slot.index))
        known_events().erase(found);
}

Status enter_event(EventSlot &slot, uint64_t handle, bool *out_first) noexcept {
    try {
        MutexLock lock(g_known_events_mutex);
        uint64_t &entry = known_events()[key_of(slot)];
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
    const auto found = known_events().find(NativeKey{&backend, native});
    return found == known_events().end() || !event_slots().find(found->second) ? 0 : found->second;
}

namespace {

struct Held {
    Device *device;
    uintptr_t native;
    EventSlot *event;
    uint32_t flags;
    uint32_t traits; // of the event when it left, as the next one
    ReleaseFunction release;
    uint32_t holders;
    bool left; // the event has another driver event by now, or has ended
    Held *next;
};

constexpr size_t kHeldBuckets = 64;
constexpr uint32_t kHeldBatch = 16; // driver events per grace period

Mutex g_held_mutex;
Held *g_held[kHeldBuckets] GS_GUARDED_BY(g_held_mutex) = {};
FreeList<Held> g_spare_records GS_GUARDED_BY(g_held_mutex); // so that a program that runs needs no more memory
Reclaimer<Held> g_left_records GS_GUARDED_BY(g_held_mutex); // calls that began before may still use the driver event

bool is_pinned(const Held &held) noexcept { return is_pinned(*held.event); }

Held **place_of_held(uintptr_t native) noexcept GS_REQUIRES(g_held_mutex) {
    Held **place = &g_held[(native * 0x9E3779B97F4A7C15u) >> 58];
    while (*place && (*place)->native != native) place = &(*place)->next;
    return place;
}

void leave_record(EventSlot &event, Held &held) noexcept GS_REQUIRES(g_held_mutex) {
    held.left = true;
    held.traits = event.traits.fetch_and(~uint32_t{kEventHeld}, std::memory_order_seq_cst);
    held.release = event.release;
}

// What was given out since it was first held has the owner that the event's traits name.
void end_record(const Held &held) noexcept {
    if ((held.traits & kEventBorrowed) != 0) return;
    if ((held.traits & kEventReleased) != 0)
        held.release();
    else if ((held.traits & kEventNoPool) != 0)
        destroy_native_event(*held.device, held.native);
    else
        give_native_event(*held.device, held.flags, held.native);
}

} // namespace

Status hold_record(EventSlot &event, uintptr_t *out_native) noexcept {
    MutexLock lock(g_held_mutex);
    const uintptr_t native = event.native.load(std::memory_order_acquire);
    Held **place = place_of_held(native);
    if (!*place) {
        Held *held = g_spare_records.pop();
        if (!held) held = new (std::nothrow) Held;
        if (held) *held = {event.native_device, native, &event, event.flags, 0, {}, 0, false, nullptr};
        *place = held;
        if (!held) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to wait for an event");
    }
    ++(*place)->holders;
    event.traits.fetch_or(kEventHeld, std::memory_order_seq_cst);
    *out_native = native;
    return kOk;
}

void release_record(Device &, uintptr_t native) noexcept {
    bool many = false;
    {
        MutexLock lock(g_held_mutex);
        Held **place = place_of_held(native);
        Held *held = *place;
        if (--held->holders != 0) return;
        *place = held->next;
        if (!held->left) {
            leave_record(*held->event, *held);
            g_spare_records.push(*held);
            return;
        }
        g_left_records.retire(*held);
        many = g_left_records.retired() >= kHeldBatch || (held->traits & kEventReleased) != 0;
    }
    if (many) collect_held_records();
}

Status record_beside_held(ThreadBlock &thread, EventSlot &event, StreamSlot &stream, bool *out_recorded) noexcept {
    *out_recorded = false;
    Device &device = *stream.device;
    uintptr_t fresh = 0;
    GS_TRY(take_native_event(device, event.flags, &fresh));
    mark_used(stream);
    // Before it takes the other's place: a thread that waits for the event at the same time must find a record.
    const Status status = stream.backend->event_record(thread, fresh, stream.ref(), false);
    if (status.ok()) {
        MutexLock lock(g_held_mutex);
        Held *held = *place_of_held(event.native.load(std::memory_order_relaxed));
        if (held && !held->left && held->event == &event) {
            event.native.store(fresh, std::memory_order_release);
            leave_record(event, *held);
            *out_recorded = true;
        }
    }
    if (!*out_recorded) give_native_event(device, event.flags, fresh);
    return status;
}

bool leave_to_holders(EventSlot &event) noexcept {
    MutexLock lock(g_held_mutex);
    Held *held = *place_of_held(event.native.load(std::memory_order_relaxed));
    if (!held || held->event != &event) return false; // the last holder was faster
    leave_record(event, *held);
    event.native.store(0, std::memory_order_relaxed);
    event.native_device = nullptr;
    return true;
}

void collect_held_records() noexcept {
    FreeList<Held> done;
    {
        MutexLock lock(g_held_mutex);
        g_left_records.begin();
        done = g_left_records.take_over();
    }
    for (const Held *held = done.first(); held; held = held->next) end_record(*held);
    MutexLock lock(g_held_mutex);
    g_spare_records.take_from(done);
}

} // namespace gs
