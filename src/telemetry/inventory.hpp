// SPDX-License-Identifier: Apache-2.0
// The GPUs of the machine and their MIG instances as NVML lists them. Entries 0 to gpus - 1 are the GPUs by NVML's
// index, the rest the instances, by GPU and then by their index.
#pragma once

#include <string>
#include <vector>

#include "telemetry/nvml.hpp"

namespace gs::telemetry {

struct Entry {
    NvmlDevice handle = nullptr; // nullptr: listed, but it cannot be asked
    NvmlReturn trouble = kNvmlSuccess; // why
    int32_t nvml_index = 0;
    int32_t mig_index = -1; // of an instance
    bool mig_enabled = false;
    bool has_pci = false;
    int32_t pci_domain = 0, pci_bus = 0, pci_device = 0;
    std::string uuid, name;

    bool is_mig() const noexcept { return mig_index >= 0; }
};

struct Inventory {
    std::vector<Entry> entries;
    int32_t gpus = 0;
};

// A GPU that cannot be asked becomes an entry with its trouble; only what concerns all of them is a failure.
Status read_inventory(const NvmlUse &nvml, Inventory *out) noexcept;

// The whole public struct but for its ordinal.
void describe_entry(const NvmlUse &nvml, const Entry &entry, gs_inventory_entry_t *out) noexcept;

// "GPU-" or "MIG-" and the 16 bytes as 8-4-4-4-12 hexadecimal digits.
std::string uuid_text(const uint8_t (&uuid)[16], bool is_mig);

} // namespace gs::telemetry
