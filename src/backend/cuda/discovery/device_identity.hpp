// SPDX-License-Identifier: Apache-2.0
// What identifies a device, by the answers of any initialised driver, whether this library or another one started it.
#pragma once

#include "backend/cuda/driver/driver_table.hpp"
#include "inventory/entries.hpp"

namespace gs::cuda {

// An attribute that this driver or device does not know is 0.
Status read_attribute(const DriverTable &driver, ThreadBlock &thread, CUdevice device, CUdevice_attribute attribute,
                      int *out) noexcept;
// Name, UUID, whether it is a MIG instance, PCI address.
Status read_identity(const DriverTable &driver, ThreadBlock &thread, CUdevice device, gs_device_info_t *info) noexcept;
// The identity by which the inventory finds the device. Throws bad_alloc.
inventory::Identity identity_of(const gs_device_info_t &info);

// INVALID_DEVICE.
Status no_such_device(int32_t ordinal, size_t count) noexcept;

} // namespace gs::cuda
