// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/context/cuda_device.hpp"

namespace gs::cuda {

// What a kernel may use without asking for it beforehand.
inline constexpr uint32_t kSharedMemoryWithoutOptIn = 48 * 1024;

// Raises the kernel's limit to all that the device has beside the kernel's own static part.
Status raise_shared_memory_limit(ThreadBlock &thread, Device &device, CUfunction function) noexcept
    __attribute__((cold));

// Lets a kernel be launched with that much dynamic shared memory.
inline Status allow_shared_memory(ThreadBlock &thread, Device &device, CUfunction function, uint32_t bytes) noexcept {
    if (bytes <= kSharedMemoryWithoutOptIn) return kOk;
    return raise_shared_memory_limit(thread, device, function);
}

} // namespace gs::cuda
