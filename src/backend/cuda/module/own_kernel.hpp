// SPDX-License-Identifier: Apache-2.0
// Kernels that come with the library: each is loaded on a device at its first use there, once.
#pragma once

#include "backend/cuda/context/cuda_device.hpp"

namespace gs::cuda {

// The kernel `name` of `ptx`, remembered in `slot` (of the device). The device's context must be current.
Status own_kernel(ThreadBlock &thread, Device &device, std::atomic<CUfunction> &slot, const char *ptx, const char *name,
                  CUfunction *out) noexcept;

} // namespace gs::cuda
