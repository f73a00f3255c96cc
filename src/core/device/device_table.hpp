// SPDX-License-Identifier: Apache-2.0
// The devices of the backends that have been started. Tables are built once and never change.
#pragma once

#include "base/core_data.hpp"
#include "core/device/device.hpp"

namespace gs {

// Starts a backend and builds its device table. Thread-safe; the outcome is latched. GS_BACKEND_DEFAULT: the default one.
Status use_backend(gs_backend_t kind, Backend **out) noexcept;

// The device with this dense index; nullptr while its backend is not started.
Device *device_at(int32_t index) noexcept;
// A device of a started backend.
Device *started_device(gs_backend_t kind, int32_t ordinal) noexcept;

// The devices of the default backend once it is started, for plain ordinals on hot paths. The count is published last.
GS_CORE_DATA(std::atomic<Device *>, g_default_devices);
GS_CORE_DATA(std::atomic<uint32_t>, g_default_device_count);
// nullptr: it is not started.
inline Backend *started_default_backend() noexcept {
    if (g_default_device_count.load(std::memory_order_acquire) == 0) return nullptr;
    return g_default_devices.load(std::memory_order_relaxed)->backend;
}
// The current device of every thread that has set none; nullptr while that is unknown, and where the driver must be asked.
GS_CORE_DATA(std::atomic<Device *>, g_unset_device);

} // namespace gs
