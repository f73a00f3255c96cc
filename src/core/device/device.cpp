// SPDX-License-Identifier: Apache-2.0
#include "core/device/device.hpp"

#include "backend/registry.hpp"
#include "core/runtime.hpp"
#include "core/thread/current_stream.hpp"

namespace gs {

Status resolve_any_device(ThreadBlock &thread, gs_device_t number, Device **out) noexcept {
    if (number == GS_DEVICE_CURRENT) return current_device(thread, out);
    const gs_backend_t kind = number >> 16;
    const int32_t ordinal = number & 0xFFFF;
    if (number < 0 || (kind != GS_BACKEND_DEFAULT && !is_backend_kind(kind)))
        return fail(GS_ERROR_INVALID_DEVICE, "there is no device numbered %d", number);
    Backend *backend = nullptr;
    GS_TRY(use_backend(kind, &backend));
    if (ordinal >= backend->device_count()) {
        backend->watch_environment();
        return fail(GS_ERROR_INVALID_DEVICE, "device %d does not exist: the %s backend has %d device(s)", ordinal,
                    backend->name(), backend->device_count());
    }
    *out = started_device(backend->kind(), ordinal);
    return kOk;
}

gs_device_t device_number(const Device &device) noexcept {
    return device.kind == fixed_default_backend() ? device.ordinal : GS_DEVICE(device.kind, device.ordinal);
}

Status device_info(Device &device, gs_device_info_t *out) noexcept {
    if (device.info_state.load(std::memory_order_acquire) == Device::kInfoWritten) {
        *out = device.info;
    } else {
        GS_TRY(device.backend->device_info(device.ordinal, out));
        uint32_t empty = Device::kInfoEmpty;
        if (device.info_state.compare_exchange_strong(empty, Device::kInfoBeingWritten, std::memory_order_acquire)) {
            device.info = *out;
            device.info_state.store(Device::kInfoWritten, std::memory_order_release);
        }
    }
    // The range may be known only later: on CUDA it needs a context, which properties are not worth creating.
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

} // namespace gs
