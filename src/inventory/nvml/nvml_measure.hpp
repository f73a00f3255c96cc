// SPDX-License-Identifier: Apache-2.0
// What NVML measures of one device.
#pragma once

#include "inventory/measure.hpp"
#include "inventory/nvml/nvml.hpp"

namespace gs::inventory {

// NOT_SUPPORTED: the device does not measure it.
Status measure_gpu(const NvmlUse &nvml, const Identity &identity, Quantity quantity, int32_t *out) noexcept;
Status measure_gpu_memory(const NvmlUse &nvml, const Identity &identity, MemoryUse *out) noexcept;

} // namespace gs::inventory
