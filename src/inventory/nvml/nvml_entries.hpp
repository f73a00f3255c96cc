// SPDX-License-Identifier: Apache-2.0
// The inventory as NVML lists it.
#pragma once

#include "inventory/entries.hpp"
#include "inventory/nvml/nvml.hpp"

namespace gs::inventory {

inline constexpr char kNvmlName[] = "NVML";

// A GPU that cannot be queried becomes an entry with its trouble; only what concerns all of them is a failure.
Status read_inventory(const NvmlUse &nvml, Inventory *out) noexcept;

// The whole public struct but for struct_size and the ordinal.
void describe_entry(const NvmlUse &nvml, const Entry &entry, gs_inventory_entry_t *out) noexcept;

} // namespace gs::inventory
