// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/context/cuda_device.hpp"

namespace gs::cuda {

// Loads a checked, NUL-terminated image into the current context, which must be the device's. The compiler's log goes
// into the error text.
Status load_module(ThreadBlock &thread, Device &device, const void *image, CUmodule *out) noexcept;

} // namespace gs::cuda
