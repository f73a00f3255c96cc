// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/gpu/priorities.hpp"

namespace gs::cuda {

// Asks the driver once per device. The device's context must be current.
Status priority_range_in_context(ThreadBlock &thread, Device &device, gpu::PriorityRange *out) noexcept;

} // namespace gs::cuda
