// SPDX-License-Identifier: Apache-2.0
// Which entries of the inventory CUDA will number 0, 1, ... in this process, told from the environment alone.
#pragma once

#include "inventory/entries.hpp"

namespace gs::inventory {

inline constexpr int32_t kNotKnown = -1;

struct DeviceSettings {
    const char *visible_devices; // CUDA_VISIBLE_DEVICES, nullptr when unset
    const char *device_order;    // CUDA_DEVICE_ORDER
};

// *out has one element per CUDA device: its entry, or kNotKnown where only the driver knows which comes first.
// NOT_SUPPORTED where the variable has names and the inventory does not have the name of every device.
Status visible_entries(const Inventory &inventory, const DeviceSettings &settings, std::vector<int32_t> *out) noexcept;

} // namespace gs::inventory
