// SPDX-License-Identifier: Apache-2.0
// Loads modules, and the kernels that come with the library; what kernels may use of a device's shared memory.
#pragma once

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {

// Loads a checked, NUL-terminated image into the current context, which must be the device's. The compiler's log goes
// into the error text.
Status load_module(ThreadBlock &thread, Device &device, const void *image, CUmodule *out) noexcept;

// Kernels that come with the library: each is loaded on a device at its first use there, once.

// The kernel `name` of `ptx`, remembered in `slot` (of the device). The device's context must be current.
Status own_kernel(ThreadBlock &thread, Device &device, std::atomic<CUfunction> &slot, const char *ptx, const char *name,
                  CUfunction *out) noexcept;

// Which devices the kernels that come with the library can run on.

// The target of the PTX in own_ptx.hpp: 10 * major + minor.
inline constexpr int kEmbeddedArch = 50;

// One warning if the device is older than our kernels. Fails as start() does.
Status warn_if_too_old(ThreadBlock &thread, CUdevice device, int32_t ordinal) noexcept;

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
