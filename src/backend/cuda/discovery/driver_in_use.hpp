// SPDX-License-Identifier: Apache-2.0
// Finding devices: what the driver in use says of them, the settings that it reads at its start, and what is found without it.
#pragma once

#include <cstdint>

#include "backend/cuda/driver/driver_table.hpp"
#include "base/status.hpp"
#include "inventory/entries.hpp"
#include "inventory/visible_devices.hpp"

namespace gs::cuda {

// The settings that the driver reads from the environment when it is initialised, and never again.

// Keeps CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER as they are now.
void remember_settings() noexcept;
// The driver has been initialised, and has read what was remembered.
void settings_were_read() noexcept;
// Another library has initialised the driver at some time before; the values that the driver read then are unknown.
void settings_were_read_unseen() noexcept;
// The settings that decide which GPU is which device: the environment until the driver is initialised, from then on
// the values that the driver read. NOT_SUPPORTED where these are unknown.
Status settings_in_force(inventory::DeviceSettings *out) noexcept;

// What identifies a device, by the answers of any initialised driver, whether this library or another one started it.

// An attribute that this driver or device does not know is 0.
Status read_attribute(const DriverTable &driver, ThreadBlock &thread, CUdevice device, CUdevice_attribute attribute,
                      int *out) noexcept;
// Name, UUID, whether it is a MIG instance, PCI address.
Status read_identity(const DriverTable &driver, ThreadBlock &thread, CUdevice device, gs_device_info_t *info) noexcept;
// The identity by which the inventory finds the device. Throws bad_alloc.
inventory::Identity identity_of(const gs_device_info_t &info);

// INVALID_DEVICE.
Status no_such_device(int32_t ordinal, size_t count) noexcept;

inline constexpr int32_t kNotInUse = -1;

// The number of devices, or kNotInUse where the library is not loaded, is another library, or is uninitialised here.
// Once the driver was seen in use, a forked child is a bad fork and gets the parent's answer without a driver call.
int32_t count_of_driver_in_use(const char *library) noexcept;

// *out_known false, with OK: the driver is unused, or this child must not ask it. INVALID_DEVICE: the driver is
// in use and has no such device.
Status identity_of_driver_in_use(int32_t ordinal, inventory::Identity *out, bool *out_known);

// How many CUDA devices this process can use, found without initialising the driver: a program that only asked may
// still fork. Where another library has initialised the driver, it answers; else the inventory and the environment
// do. Where the inventory cannot, the device nodes are counted, which is a guess (docs/adr/0006). The probe never
// fails: it returns 0.
struct ProbeInputs {
    const char *library;         // to be opened
    bool library_overridden;     // GPUSTREAM_LIBCUDA: the library alone is enough
    int32_t simulated;           // devices of the driver of `gpustream run --simulate`; 0: another driver
    const char *device_folder;   // "/dev"
    const char *visible_devices; // CUDA_VISIBLE_DEVICES, nullptr when unset
    const char *device_order;    // CUDA_DEVICE_ORDER
};

int32_t probe_devices(const ProbeInputs &inputs) noexcept;

// Entries nvidia<number> of the folder; where there are none, 1 for dxg (the paravirtual GPU of WSL), else 0.
int32_t count_device_nodes(const char *folder) noexcept;
// How many of so many devices the variable leaves, by the rules of gs_parse_visible_devices(). Names cannot be looked
// up here and are assumed to exist.
int32_t apply_visible_devices(const char *value, int32_t nodes) noexcept;

} // namespace gs::cuda
