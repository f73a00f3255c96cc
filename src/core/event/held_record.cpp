// SPDX-License-Identifier: Apache-2.0
#include "core/event/held_record.hpp"

#include <new>

#include "core/event/driver_events.hpp"
#include "handle/reclaimer.hpp"

namespace gs {
namespace {

struct Held {
    Device *device;
    uintptr_t native;
    EventSlot *event;
    uint32_t flags;
    uint32_t traits; // of the event when it left
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
}

// What was given out since it was first held has the owner that the event's traits name.
void end_record(const Held &held) noexcept {
    if ((held.traits & kEventBorrowed) != 0) return;
    if ((held.traits & kEventNoPool) != 0)
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
        if (held) *held = {event.native_device, native, &event, event.flags, 0, 0, false, nullptr};
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
        many = g_left_records.retired() >= kHeldBatch;
    }
    if (many) collect_held_records(nullptr);
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

void collect_held_records(const ThreadBlock *self) noexcept {
    FreeList<Held> done;
    {
        MutexLock lock(g_held_mutex);
        g_left_records.begin(self);
        done = g_left_records.take_over();
    }
    for (const Held *held = done.first(); held; held = held->next) end_record(*held);
    MutexLock lock(g_held_mutex);
    g_spare_records.take_from(done);
}

} // namespace gs
