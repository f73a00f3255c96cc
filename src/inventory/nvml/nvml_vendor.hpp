// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inventory/entries.hpp"

namespace gs::inventory {

// NVIDIA's: the devices of the CUDA backend. Opens NVML at the first call that needs it.
Vendor &nvml_vendor() noexcept;

} // namespace gs::inventory
