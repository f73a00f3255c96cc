// SPDX-License-Identifier: Apache-2.0
// The GPUs of the machine and their MIG instances as NVML lists them. Entries 0 to gpus - 1 are the GPUs by NVML's
// index, the rest the instances, by GPU and then by their index.
#pragma once

#include <string>
#include <vector>

#include "inventory/nvml.hpp"

namespace gs::inventory {

struct Entry {
    NvmlDevice handle = nullptr; // nullptr: listed, but it cannot be asked
    // Why; or, with a handle, why it is not known whether the GPU is divided and into what.
    NvmlReturn trouble = kNvmlSuccess;
    int32_t nvml_index = 0;
    int32_t mig_index = -1;                           // of an instance
    int32_t gpu_instance = -1, compute_instance = -1; // ids of an instance on its GPU; -1: NVML does not tell
    bool mig_enabled = false;
    bool has_pci = false;
    int32_t pci_domain = 0, pci_bus = 0, pci_device = 0;
    std::string uuid, name;

    bool is_mig() const noexcept { return mig_index >= 0; }
    // What CUDA makes of the GPU cannot be told. (One that may not be opened the driver passes over.)
    bool is_doubtful() const noexcept { return trouble != kNvmlSuccess && (handle || trouble != kNvmlNoPermission); }
};

struct Inventory {
    std::vector<Entry> entries;
    int32_t gpus = 0;

    // False for an instance that may stand elsewhere in the next reading: it is not known how many come before it.
    bool place_is_settled(int32_t index) const noexcept;
};

// A GPU that cannot be asked becomes an entry with its trouble; only what concerns all of them is a failure.
Status read_inventory(const NvmlUse &nvml, Inventory *out) noexcept;

// The whole public struct but for its ordinal.
void describe_entry(const NvmlUse &nvml, const Entry &entry, gs_inventory_entry_t *out) noexcept;

// "GPU-" or "MIG-" and the 16 bytes as 8-4-4-4-12 hexadecimal digits.
std::string uuid_text(const uint8_t (&uuid)[16], bool is_mig);

} // namespace gs::inventory
