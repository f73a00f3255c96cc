// SPDX-License-Identifier: Apache-2.0
#include "core/device/device_table.hpp"

#include <algorithm>
#include <new>

#include "backend/registry.hpp"
#include "base/once_result.hpp"
#include "base/testing.hpp"
#include "core/stream/stream_slots.hpp"

namespace gs {

Status device_info(Device &device, gs_device_info_t *out) noexcept {
    if (device.info_state.load(std::memory_order_acquire) == Device::kInfoWritten) {
        *out = device.info;
    } else {
        GS_TRY(device.backend->device_info(device.ordinal, out));
        uint32_t empty = Device::kInfoEmpty;
        // one-sided: fails only in a race
        if (device.info_state.compare_exchange_strong(empty, Device::kInfoBeingWritten, std::memory_order_acquire)) {
            device.info = *out;
            device.info_state.store(Device::kInfoWritten, std::memory_order_release);
        }
    }
    // On CUDA the range needs a context. Properties are not worth creating one, so the range may become known later.
    if (device.range_known.load(std::memory_order_acquire) || device.backend->has_context(device.ordinal))
        return priority_range(device, &out->priority_least, &out->priority_greatest);
    return kOk;
}

Status ask_priority_range(Device &device) noexcept {
    int32_t least = 0;
    int32_t greatest = 0;
    GS_TRY(device.backend->priority_range(device.ordinal, &least, &greatest));
    device.priority_least.store(least, std::memory_order_relaxed);
    device.priority_greatest.store(greatest, std::memory_order_relaxed);
    device.range_known.store(true, std::memory_order_release);
    return kOk;
}

std::atomic<Device *> g_default_devices{nullptr};
std::atomic<uint32_t> g_default_device_count{0};
std::atomic<Device *> g_unset_device{nullptr};

namespace {

struct Table {
    OnceResult built;
    std::atomic<Device *> devices{nullptr};
};
Table g_tables[kBackendKinds];
std::atomic<Backend *> g_default{nullptr};

int32_t count_of(const Backend &backend) noexcept { return std::min(backend.device_count(), kMaxDevicesPerBackend); }

Status build_table(Backend &backend, Table &table) noexcept {
    const int32_t count = count_of(backend);
    auto *devices = new (std::nothrow) Device[static_cast<size_t>(count)];
    if (!devices) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the table of %d device(s)", count);
    for (int32_t ordinal = 0; ordinal < count; ++ordinal) {
        Device &device = devices[ordinal];
        device.backend = &backend;
        device.kind = backend.kind();
        device.ordinal = ordinal;
        device.index = (backend.kind() - 1) * kMaxDevicesPerBackend + ordinal;
        device.health = backend.health_flag(ordinal);
        GS_TRY(add_default_streams(device));
    }
    table.devices.store(devices, std::memory_order_release);
    return kOk;
}

} // namespace

Status use_backend(gs_backend_t kind, Backend **out) noexcept {
    if (kind == GS_BACKEND_DEFAULT) {
        if (Backend *known = g_default.load(std::memory_order_acquire)) {
            *out = known;
            return kOk;
        }
    }
    Backend *started = nullptr;
    GS_TRY(start_backend(kind, &started));
    Backend &backend = GS_INSTRUMENTED(*started);
    Table &table = g_tables[backend.kind() - 1];
    GS_TRY(table.built.run([&]() noexcept { return build_table(backend, table); }));
    if (kind == GS_BACKEND_DEFAULT) {
        Device *devices = table.devices.load(std::memory_order_acquire);
        g_default_devices.store(devices, std::memory_order_relaxed);
        if ((backend.caps() & kCapFollows) == 0) g_unset_device.store(devices, std::memory_order_release);
        g_default_device_count.store(static_cast<uint32_t>(count_of(backend)), std::memory_order_release);
        g_default.store(&backend, std::memory_order_release);
    }
    *out = &backend;
    return kOk;
}

Device *device_at(int32_t index) noexcept {
    Device *devices = g_tables[index / kMaxDevicesPerBackend].devices.load(std::memory_order_acquire);
    const int32_t ordinal = index % kMaxDevicesPerBackend;
    return devices && ordinal < devices->backend->device_count() ? &devices[ordinal] : nullptr;
}

Device *started_device(gs_backend_t kind, int32_t ordinal) noexcept {
    return &g_tables[kind - 1].devices.load(std::memory_order_acquire)[ordinal];
}

} // namespace gs
