// SPDX-License-Identifier: Apache-2.0
// The table of backends. backends.cpp is the only file outside of their folders that names them.
#pragma once

#include <span>

#include "backend/backend.hpp"

namespace gs {

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

} // namespace gs
