// SPDX-License-Identifier: Apache-2.0
#include "core/device/device.hpp"

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

} // namespace gs
