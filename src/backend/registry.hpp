// SPDX-License-Identifier: Apache-2.0
// Which backends there are, which is the default, and the one-time start of each.
#pragma once

#include <atomic>
#include <span>

#include "backend/backend.hpp"

namespace gs {

// The table of backends. backends.cpp is the only file outside of their folders that names them.
inline constexpr int kBackendKinds = 3; // kinds are 1 to this; the header pins their numbers
inline constexpr int kMaxDevicesPerBackend = 64;

enum class BackendRole {
    Accelerator, // GPUSTREAM_BACKEND=auto takes it if it has devices
    Fallback,    // works on any machine: auto takes it if there is no accelerator. Exactly one row
    Reserved,    // a number without a backend in this version
};

struct BackendRow {
    gs_backend_t kind;
    const char *name; // in GPUSTREAM_BACKEND and in messages
    BackendRole role;
    Backend &(*instance)() noexcept;   // nullptr: not in this build
    int32_t dlpack_type;               // kDL...: what the DLPack standard calls its devices
    const char *driver_node = nullptr; // a file that exists where the machine has its driver
    // With that file: the reason why the probe finds no device, as a failure. OK if the user hides them all.
    Status (*no_device)() noexcept = nullptr;
};

// Row i is of kind i + 1. Accelerators stand in the order in which auto looks for devices.
std::span<const BackendRow, kBackendKinds> backend_rows() noexcept;

// The kinds that the public header numbers, whether or not this build has a backend for them.
constexpr bool is_backend_kind(gs_backend_t kind) noexcept {
    return kind > GS_BACKEND_DEFAULT && kind <= kBackendKinds;
}
// The instance; nullptr for an unknown kind, or one that this build does not have. Starts nothing.
Backend *backend_instance(gs_backend_t kind) noexcept;

// The backend that GPUSTREAM_BACKEND and the probes choose; the first start of the default backend makes it final.
// INVALID_ARGUMENT for an unknown name in the variable.
Status choose_default_backend(gs_backend_t *out) noexcept;
// Is there a device of the default backend? Devices of a fallback count only if the variable asked for it by name.
Status is_accelerator_available(bool *out) noexcept;

// Starts the backend on first use (thread-safe; the outcome and its detail are latched) and returns it.
// kind GS_BACKEND_DEFAULT: the chosen default, which becomes final. UNAVAILABLE when this build does not have it.
Status start_backend(gs_backend_t kind, Backend **out) noexcept;
// DLPack's device type of a backend, and the other way round; GS_BACKEND_DEFAULT: none has this type.
int32_t dlpack_type_of(gs_backend_t kind) noexcept;
gs_backend_t backend_of_dlpack(int32_t type) noexcept;
// Has it been started successfully?
bool backend_started(gs_backend_t kind) noexcept;
bool any_backend_started() noexcept; // else there is no device
// As many devices as are known without starting anything. Exact once the backend has started; 0 once its start has
// failed, which is final; before that what the probe finds. 0 where there is no such backend.
int32_t known_device_count(gs_backend_t kind) noexcept;
// GS_BACKEND_DEFAULT until the default is final, then what it is.
extern std::atomic<gs_backend_t> g_fixed_default __attribute__((visibility("hidden")));
inline gs_backend_t fixed_default_backend() noexcept { return g_fixed_default.load(std::memory_order_acquire); }

} // namespace gs
