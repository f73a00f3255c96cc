// SPDX-License-Identifier: Apache-2.0
// The settings that the driver reads from the environment when it is initialised, and never again.
#pragma once

#include "base/status.hpp"
#include "inventory/visible_order.hpp"

namespace gs::cuda {

// Keeps CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER as they are now.
void remember_settings() noexcept;
// The driver has been initialised, and has read what was remembered.
void settings_were_read() noexcept;
// Another library has initialised the driver at some time before; the values that the driver read then are unknown.
void settings_were_read_unseen() noexcept;
// The settings that decide which GPU is which device: the environment until the driver is initialised, from then on
// the values that the driver read. NOT_SUPPORTED where these are unknown.
Status settings_in_force(inventory::DeviceSettings *out) noexcept;

} // namespace gs::cuda
