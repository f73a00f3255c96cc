// SPDX-License-Identifier: Apache-2.0
// What a device measures of itself, one quantity at a time.
#pragma once

#include <cstdint>
#include <string>

namespace gs::inventory {

enum class Quantity { UtilizationPercent, MemoryUtilizationPercent, TemperatureCelsius, PowerMilliwatts, SmClockMhz };

struct MemoryUse {
    uint64_t used, free, total; // bytes
};

// By what a vendor's library finds a device.
struct Identity {
    std::string uuid; // "GPU-..." or "MIG-..."
    bool has_pci = false;
    int32_t pci_domain = 0, pci_bus = 0, pci_device = 0;
};

} // namespace gs::inventory
