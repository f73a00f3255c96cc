// SPDX-License-Identifier: Apache-2.0
// Modules and their kernels. A kernel is borrowed from its module and dies with it.
#pragma once

#include "core/slots.hpp"

namespace gs {

Status load_module(ThreadBlock &thread, Device &device, const void *image, size_t bytes, uint64_t *out_handle) noexcept;
Status release_module(ThreadBlock &thread, uint64_t handle) noexcept;
// The same name gives the same handle.
Status get_kernel(ThreadBlock &thread, uint64_t module, const char *name, uint64_t *out_handle) noexcept;
// Under the caller's CallMark. INVALID_HANDLE, or DEVICE_MISMATCH if it was loaded on another device.
Status required_kernel(uint64_t handle, const Device &device, const KernelSlot **out) noexcept;
Status launch_kernel(ThreadBlock &thread, uint64_t kernel, const gs_launch_config_t &config, void **arguments,
                     StreamSlot &stream) noexcept;

} // namespace gs
