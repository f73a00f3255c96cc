// SPDX-License-Identifier: Apache-2.0
// What a device measures of itself, one quantity at a time.
#pragma once

#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace gs::inventory {

enum class Quantity { UtilizationPercent, MemoryUtilizationPercent, TemperatureCelsius, PowerMilliwatts, SmClockMhz };

struct MemoryUse {
    uint64_t used, free, total; // bytes
};

// How a device is found among NVML's.
struct Identity {
    std::string uuid; // "GPU-..." or "MIG-..."
    bool has_pci = false;
    int32_t pci_domain = 0, pci_bus = 0, pci_device = 0;
};

// NOT_SUPPORTED: the device does not measure it.
Status measure_gpu(const Identity &identity, Quantity quantity, int32_t *out) noexcept;
Status measure_gpu_memory(const Identity &identity, MemoryUse *out) noexcept;

} // namespace gs::inventory
