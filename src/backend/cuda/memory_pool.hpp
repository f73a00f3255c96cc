// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/context/cuda_device.hpp"

namespace gs::cuda {

// Makes the pool that cuMemAllocAsync uses on the device keep freed memory, unless other code has set its release
// threshold. With the driver's default, 0, every synchronization returns all of it to the system, and stalls. Done
// once.
Status keep_freed(ThreadBlock &thread, Device &device) noexcept __attribute__((cold));

} // namespace gs::cuda
