// SPDX-License-Identifier: Apache-2.0
// Device: one device of a started backend, immortal, with its two streams that always exist.
#pragma once

#include "backend/registry.hpp"

namespace gs {

struct StreamSlot;

inline constexpr int kMaxDevices = kMaxDevicesPerBackend * kBackendKinds;

// Where a stream's calls look whether its device is usable. It changes while the stream lives, and is copied before.
class HealthWord {
public:
    HealthWord() noexcept = default;
    HealthWord(const HealthWord &other) noexcept : word_(other.get()) {}
    HealthWord &operator=(const HealthWord &other) noexcept { return *this = other.get(); }
    HealthWord &operator=(const std::atomic<uint32_t> *word) noexcept {
        word_.store(word, std::memory_order_relaxed);
        return *this;
    }
    const std::atomic<uint32_t> *operator->() const noexcept { return get(); }
    const std::atomic<uint32_t> *get() const noexcept { return word_.load(std::memory_order_relaxed); }

private:
    std::atomic<const std::atomic<uint32_t> *> word_{nullptr};
};

// A device as its backend addresses it. A stream's slot carries a copy, which saves hot calls one load.
struct BackendDevice {
    Backend *backend = nullptr;
    HealthWord health;
    int32_t ordinal = 0;
};

// Fails with STICKY or CONTEXT_LOST when the device is latched.
inline Status check_health(const BackendDevice &device) noexcept {
    if (device.health->load(std::memory_order_relaxed) == 0) return kOk;
    return device.backend->health(device.ordinal);
}

struct Device : BackendDevice {
    int32_t index = 0; // dense over all backends: index into per-thread tables
    gs_backend_t kind = GS_BACKEND_DEFAULT;
    StreamSlot *default_stream = nullptr;
    StreamSlot *per_thread_stream = nullptr;

    // The priority range, asked for until the answer is OK (a failure may have been lack of memory).
    std::atomic<bool> range_known{false};
    std::atomic<int32_t> priority_least{0};
    std::atomic<int32_t> priority_greatest{0};

    // The properties are asked for once. A thread that finds them being written asks the backend itself.
    enum InfoState : uint32_t { kInfoEmpty, kInfoBeingWritten, kInfoWritten };
    std::atomic<uint32_t> info_state{kInfoEmpty};
    gs_device_info_t info{};
};

// The number of the device in the public API: a plain ordinal for the default backend, qualified otherwise.
inline gs_device_t device_number(const Device &device) noexcept {
    return device.kind == fixed_default_backend() ? device.ordinal : GS_DEVICE(device.kind, device.ordinal);
}

// The properties as gs_device_get_info() returns them; struct_size is ours.
Status device_info(Device &device, gs_device_info_t *out) noexcept;

Status ask_priority_range(Device &device) noexcept;
inline Status priority_range(Device &device, int32_t *out_least, int32_t *out_greatest) noexcept {
    if (!device.range_known.load(std::memory_order_acquire)) GS_TRY(ask_priority_range(device));
    *out_least = device.priority_least.load(std::memory_order_relaxed);
    *out_greatest = device.priority_greatest.load(std::memory_order_relaxed);
    return kOk;
}

} // namespace gs
