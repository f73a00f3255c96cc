// SPDX-License-Identifier: Apache-2.0
// How many CUDA devices this process can use, found without initialising the driver: a program that only asked may
// still fork. Where another library has initialised the driver, it answers; else the inventory and the environment
// do. Where the inventory cannot, the device nodes are counted, which is a guess (docs/adr/0006). The probe never
// fails: it returns 0.
#pragma once

#include <cstdint>

namespace gs::cuda {

struct ProbeInputs {
    const char *library;         // to be opened
    bool library_overridden;     // GPUSTREAM_LIBCUDA: the library alone is enough
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
