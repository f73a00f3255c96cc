// SPDX-License-Identifier: Apache-2.0
// What the driver takes from the environment when it is initialised and never again, and which devices our own kernels
// can run on.
#pragma once

#include "backend/cuda/driver_table.hpp"
#include "base/status.hpp"

namespace gs::cuda {

// The target of the PTX in sleep_ptx.hpp: 10 * major + minor.
inline constexpr int kEmbeddedArch = 50;

// Keeps CUDA_VISIBLE_DEVICES as it is now.
void remember_settings() noexcept;

// One warning if the device is older than our kernels. Fails as start() does.
Status warn_if_too_old(ThreadBlock &thread, CUdevice device, int32_t ordinal) noexcept;

} // namespace gs::cuda
