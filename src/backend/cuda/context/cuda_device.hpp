// SPDX-License-Identifier: Apache-2.0
// A device as the backend knows it: its primary context once somebody needed it, and what went wrong for good.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/cuda/driver/driver_errors.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "backend/gpu/priorities.hpp"
#include "base/mutex.hpp"

namespace gs::cuda {

enum Health : uint32_t { kHealthy = 0, kSticky = 1, kLost = 2 };

struct alignas(64) Device {
    std::atomic<uint32_t> health{kHealthy}; // never goes back
    int32_t ordinal = 0;
    CUdevice handle = 0;
    // Set once, at the first call that needs it, and never released: a reset by others is reported, not followed.
    std::atomic<CUcontext> context{nullptr};
    // What tells this life of the context from the next one at the same address. Stored before the context.
    std::atomic<uint64_t> context_id{0};
    std::atomic<uint64_t> priority_range{0}; // packed by priorities.hpp, 0 = not asked yet
    std::atomic<CUfunction> sleep_kernel{nullptr};
    bool memory_pools = false; // stream-ordered allocation

    Mutex latch_mutex;
    int32_t latched_code GS_GUARDED_BY(latch_mutex) = 0;
    const char *latched_function GS_GUARDED_BY(latch_mutex) = nullptr;
    char origin[256] GS_GUARDED_BY(latch_mutex) = {};
};

// Filled by start(), immortal.
extern Device *g_devices __attribute__((visibility("hidden")));
extern int32_t g_device_count __attribute__((visibility("hidden")));

// The ordinal of a driver device, -1 if it is none of ours.
int32_t ordinal_of(CUdevice handle) noexcept;

// STICKY or CONTEXT_LOST with where it was first seen.
Status latched_status(Device &device) noexcept __attribute__((cold));
inline Status check_health(Device &device) noexcept {
    if (__builtin_expect(device.health.load(std::memory_order_relaxed) == kHealthy, 1)) return kOk;
    return latched_status(device);
}
inline bool is_latched(const Device &device) noexcept {
    return device.health.load(std::memory_order_relaxed) != kHealthy;
}
// The first one wins.
void latch(Device &device, Health health, int32_t code, const char *function) noexcept __attribute__((cold));

// The primary context, created if it does not exist. A failure is not remembered: memory may be free next time.
Status retain_context(ThreadBlock &thread, Device &device, CUcontext *out) noexcept;
// The primary context if it exists already, else nullptr.
Status existing_context(ThreadBlock &thread, Device &device, CUcontext *out) noexcept;
// Is the context we retained still alive and still the same one? Latches CONTEXT_LOST. OK where we retained none.
Status verify_context(ThreadBlock &thread, Device &device) noexcept;
// An error of this kind is visible to every call in the context: asks for it without waiting and without side effects.
Status probe_sticky(ThreadBlock &thread, Device &device) noexcept;
// Name, UUID, whether it is a MIG instance, PCI address. Of any initialised driver, ours or not yet ours.
Status read_identity(const DriverTable &driver, ThreadBlock &thread, CUdevice device, gs_device_info_t *info) noexcept;
// Asks once per device. The device's context must be current.
Status priority_range_in_context(ThreadBlock &thread, Device &device, PriorityRange *out) noexcept;

} // namespace gs::cuda
