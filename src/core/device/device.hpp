// SPDX-License-Identifier: Apache-2.0
// Device: one device of a started backend, immortal. Device numbers of the public API are resolved here.
#pragma once

#include "backend/backends.hpp"
#include "base/mutex.hpp"

namespace gs {

struct StreamSlot;

inline constexpr int kMaxDevices = kMaxDevicesPerBackend * kBackendKinds;

struct Device {
    Backend *backend = nullptr;
    const std::atomic<uint32_t> *health = nullptr;
    int32_t ordinal = 0;
    int32_t index = 0; // dense over all backends: index into per-thread tables
    gs_backend_t kind = GS_BACKEND_DEFAULT;
    StreamSlot *default_stream = nullptr;
    StreamSlot *per_thread_stream = nullptr;

    // The priority range is asked for once; a failure is not kept, it may have been memory.
    std::atomic<bool> range_known{false};
    std::atomic<int32_t> priority_least{0};
    std::atomic<int32_t> priority_greatest{0};

    // The properties are asked for once, too. Who finds them being written asks for itself.
    enum InfoState : uint32_t { kInfoEmpty, kInfoBeingWritten, kInfoWritten };
    std::atomic<uint32_t> info_state{kInfoEmpty};
    gs_device_info_t info{};
};

// Starts the device's backend if need be. INVALID_DEVICE for numbers that name none; UNAVAILABLE and the like when its
// backend cannot start. GS_DEVICE_CURRENT is the thread's current device.
Status resolve_any_device(ThreadBlock &thread, gs_device_t number, Device **out) noexcept;

// The default backend's devices once it was started, for plain ordinals on hot paths; the count is published last.
extern std::atomic<Device *> g_default_devices __attribute__((visibility("hidden")));
extern std::atomic<uint32_t> g_default_device_count __attribute__((visibility("hidden")));
inline Status resolve_device(ThreadBlock &thread, gs_device_t number, Device **out) noexcept {
    if (static_cast<uint32_t>(number) >= g_default_device_count.load(std::memory_order_acquire))
        return resolve_any_device(thread, number, out);
    *out = g_default_devices.load(std::memory_order_relaxed) + number;
    return kOk;
}

// As callers see it: a plain ordinal for the default backend, qualified otherwise.
gs_device_t device_number(const Device &device) noexcept;

// Fails with STICKY or CONTEXT_LOST when the device is latched. The test is one load.
inline Status check_health(const Device &device) noexcept {
    if (__builtin_expect(device.health->load(std::memory_order_relaxed) == 0, 1)) return kOk;
    return device.backend->health(device.ordinal);
}

// Properties as gs_device_get_info() has them; struct_size is ours.
Status device_info(Device &device, gs_device_info_t *out) noexcept;

Status ask_priority_range(Device &device) noexcept;
inline Status priority_range(Device &device, int32_t *out_least, int32_t *out_greatest) noexcept {
    if (__builtin_expect(!device.range_known.load(std::memory_order_acquire), 0)) GS_TRY(ask_priority_range(device));
    *out_least = device.priority_least.load(std::memory_order_relaxed);
    *out_greatest = device.priority_greatest.load(std::memory_order_relaxed);
    return kOk;
}

// The device behind a dense index, nullptr while its backend is not started.
Device *device_at(int32_t index) noexcept;
// A device of a started backend.
Device *started_device(gs_backend_t kind, int32_t ordinal) noexcept;

} // namespace gs
