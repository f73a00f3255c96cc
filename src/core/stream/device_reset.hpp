// SPDX-License-Identifier: Apache-2.0
// Resets a device while other threads may be using it.
#pragma once

#include "core/device/device.hpp"

namespace gs {

// Blocks. No call on a stream or an event of the device is inside the driver when the driver resets it.
Status reset_device(ThreadBlock &thread, Device &device) noexcept;

} // namespace gs
