// SPDX-License-Identifier: Apache-2.0
// How a CUDA device is found among NVML's, from what the driver says of it.
#pragma once

#include "inventory/entries.hpp"
#include "inventory/measure.hpp"

namespace gs::cuda {

inline inventory::Identity identity_of(const gs_device_info_t &info) {
    return {inventory::uuid_text(info.uuid, info.is_mig != 0), info.has_pci != 0, info.pci_domain, info.pci_bus,
            info.pci_device};
}

inline Status no_such_device(int32_t ordinal, size_t count) noexcept {
    return fail(GS_ERROR_INVALID_DEVICE, "device %d does not exist: the cuda backend has %zu device(s)", ordinal,
                count);
}

} // namespace gs::cuda
