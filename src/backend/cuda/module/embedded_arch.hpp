// SPDX-License-Identifier: Apache-2.0
// Which devices the kernels that come with the library can run on.
#pragma once

#include "backend/cuda/driver/driver_table.hpp"

namespace gs::cuda {

// The target of the PTX in sleep_ptx.hpp: 10 * major + minor.
inline constexpr int kEmbeddedArch = 50;

// One warning if the device is older than our kernels. Fails as start() does.
Status warn_if_too_old(ThreadBlock &thread, CUdevice device, int32_t ordinal) noexcept;

} // namespace gs::cuda
