// SPDX-License-Identifier: Apache-2.0
// The inventory as NVML lists it.
#pragma once

#include "inventory/entries.hpp"
#include "inventory/nvml/nvml.hpp"

namespace gs::inventory {

inline constexpr char kNvmlName[] = "NVML";

// A GPU that cannot be queried becomes an entry with its failure; the function fails only where all GPUs are
// concerned.
Status read_inventory(const NvmlUse &nvml, Inventory *out) noexcept;

// Fills the whole public struct except struct_size and the ordinal.
void describe_entry(const NvmlUse &nvml, const Entry &entry, gs_inventory_entry_t *out) noexcept;

} // namespace gs::inventory
