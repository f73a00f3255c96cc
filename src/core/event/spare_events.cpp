// SPDX-License-Identifier: Apache-2.0
#include "core/event/spare_events.hpp"

#include "base/last_error.hpp"
#include "base/log.hpp"
#include "base/mutex.hpp"
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

} // namespace gs
