// SPDX-License-Identifier: Apache-2.0
// Modules: checking images, loading them and the kernels that come with the library, and what kernels may use of shared memory.
#pragma once

#include <cstddef>
#include <memory>

#include "backend/cuda/context/cuda_device.hpp"
#include "backend/cuda/driver/driver_table.hpp"
#include "base/status.hpp"

namespace gs::cuda {

// Module images. The driver gets only an address and trusts the length that the image states, so it would read a cut
// image past its end. The length is therefore checked here, as far as possible, on a copy that ends in a NUL.
struct Image {
    std::unique_ptr<unsigned char[]> bytes; // size + 1, the last one 0: PTX must be a C string
    size_t size = 0;
};

// bytes == 0: image is the path of a file.
Status load_image(const void *image, size_t bytes, Image *out) noexcept;

// INVALID_ARGUMENT when the headers of an ELF cubin or of a fat binary promise more bytes than there are.
Status check_image(const unsigned char *image, size_t size) noexcept;

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
