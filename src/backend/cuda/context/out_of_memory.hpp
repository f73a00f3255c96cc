// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/context/cuda_device.hpp"

namespace gs::cuda {

// OUT_OF_MEMORY for an allocation: the text says how much was asked for and how much the device has left.
Status fail_out_of_memory(ThreadBlock &thread, Device &device, const char *function, size_t bytes) noexcept
    __attribute__((cold));

} // namespace gs::cuda
