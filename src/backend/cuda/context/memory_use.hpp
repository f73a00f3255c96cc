// SPDX-License-Identifier: Apache-2.0
// How full a device is, from the driver, where the inventory cannot say.
#pragma once

#include "backend/cuda/context/cuda_device.hpp"
#include "inventory/entries.hpp"

namespace gs::cuda {

// Call it with the inventory's failure in the pending record: its text becomes part of the new one. Creates no
// context. NOT_SUPPORTED for a device without a context, and inside a host function, which must not call the driver.
Status memory_from_driver(ThreadBlock &thread, Device &device, gs_telemetry_t *out) noexcept;

} // namespace gs::cuda
