// SPDX-License-Identifier: Apache-2.0
// Turns a call that failed in a device's context into a Status.
#pragma once

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/driver/driver_errors.hpp"

namespace gs::cuda {

// Sticky codes latch the device with this call as origin; 201, 400 and 709 make us check whether the context is still
// the one our objects live in. Never call it with CUDA_SUCCESS. CUDA_ERROR_NOT_READY becomes NOT_READY without detail.
Status map_error(CUresult result, FailedCall call, Device &device) noexcept __attribute__((cold));

} // namespace gs::cuda
