// SPDX-License-Identifier: Apache-2.0
// What NVML measures of one device.
#pragma once

#include "inventory/measure.hpp"
#include "inventory/nvml/nvml.hpp"

namespace gs::inventory {

// As Vendor::measure().
Status measure_gpu(const NvmlUse &nvml, const Identity &identity, uint32_t fields, gs_telemetry_t *out) noexcept;

} // namespace gs::inventory
