// SPDX-License-Identifier: Apache-2.0
// What the driver tells while this library has not started it, because another library in the process has initialised
// it. Its answers are exact then, whatever the environment says meanwhile: it read CUDA_VISIBLE_DEVICES when it was
// initialised. Nothing here initialises it (docs/adr/0006).
#pragma once

#include "base/status.hpp"
#include "inventory/measure.hpp"

namespace gs::cuda {

inline constexpr int32_t kNotInUse = -1;

// Devices, or kNotInUse where the library is not loaded, not a driver, or nobody has initialised it here. Once it was
// seen in use a forked child is a bad fork, and is told what its parent saw, without the driver.
int32_t count_of_driver_in_use(const char *library) noexcept;

// *out_known false, with OK: the driver is not in use, or must not be asked in this child. INVALID_DEVICE where it is and has no such device.
Status identity_of_driver_in_use(int32_t ordinal, inventory::Identity *out, bool *out_known);

} // namespace gs::cuda
