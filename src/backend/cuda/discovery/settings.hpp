// SPDX-License-Identifier: Apache-2.0
// What the driver takes from the environment when it is initialised and never again.
#pragma once

#include "base/status.hpp"
#include "inventory/visible_order.hpp"

namespace gs::cuda {

// Keeps CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER as they are now.
void remember_settings() noexcept;
// The driver has been initialised, and has read what was remembered.
void settings_were_read() noexcept;
// Another library has initialised the driver at some time before; what it read then is unknown.
void settings_were_read_unseen() noexcept;
// What decides which GPU is which device: the environment until the driver is initialised, from then on what the driver
// read. NOT_SUPPORTED where that is not known.
Status settings_in_force(inventory::DeviceSettings *out) noexcept;

} // namespace gs::cuda
