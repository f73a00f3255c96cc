// SPDX-License-Identifier: Apache-2.0
// What the driver takes from the environment when it is initialised and never again, and which devices our own kernels
// can run on.
#pragma once

#include "backend/cuda/driver/driver_table.hpp"
#include "base/status.hpp"
#include "inventory/visible_order.hpp"

namespace gs::cuda {

// The target of the PTX in sleep_ptx.hpp: 10 * major + minor.
inline constexpr int kEmbeddedArch = 50;

// Keeps CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER as they are now.
void remember_settings() noexcept;
// The driver has been initialised, and has read what was remembered.
void settings_were_read() noexcept;
// Another library has initialised the driver at some time before; what it read then is not known.
void settings_were_read_unseen() noexcept;
// What decides which GPU is which device: the environment until the driver is initialised, from then on what the driver
// read. NOT_SUPPORTED where that is not known.
Status settings_in_force(inventory::DeviceSettings *out) noexcept;

// One warning if the device is older than our kernels. Fails as start() does.
Status warn_if_too_old(ThreadBlock &thread, CUdevice device, int32_t ordinal) noexcept;

} // namespace gs::cuda
