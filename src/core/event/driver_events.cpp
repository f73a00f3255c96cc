// SPDX-License-Identifier: Apache-2.0
#include "core/event/driver_events.hpp"

#include <map>
#include <new>
#include <utility>

#include "base/last_error.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"
#include "core/device/device_table.hpp"

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

} // namespace gs
