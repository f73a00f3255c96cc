// SPDX-License-Identifier: Apache-2.0
// The inventory of the machine, with the device that each entry is in this process. Starts no backend.
#pragma once

#include "backend/backend.hpp"

namespace gs {

// gs_inventory_count().
Status count_inventory(int32_t *out_gpus, int32_t *out_entries) noexcept;
// gs_inventory_get(): every field but struct_size. INVALID_ARGUMENT when there is no such entry.
Status inventory_entry(int32_t index, gs_inventory_entry_t *out) noexcept;

} // namespace gs
