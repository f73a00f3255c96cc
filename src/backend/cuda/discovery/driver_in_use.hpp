// SPDX-License-Identifier: Apache-2.0
// Queries the driver before this library has started it, because another library in the process has initialised it.
// The answers are exact then, whatever the environment says now, since the driver read CUDA_VISIBLE_DEVICES when it
// was initialised. No function here initialises the driver (docs/adr/0006).
#pragma once

#include "base/status.hpp"
#include "inventory/entries.hpp"

namespace gs::cuda {

inline constexpr int32_t kNotInUse = -1;

// The number of devices, or kNotInUse where the library is not loaded, is another library, or is uninitialised here.
// Once the driver was seen in use, a forked child is a bad fork and gets the parent's answer without a driver call.
int32_t count_of_driver_in_use(const char *library) noexcept;

// *out_known false, with OK: the driver is unused, or this child must not ask it. INVALID_DEVICE: the driver is
// in use and has no such device.
Status identity_of_driver_in_use(int32_t ordinal, inventory::Identity *out, bool *out_known);

} // namespace gs::cuda
