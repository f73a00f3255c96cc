// SPDX-License-Identifier: Apache-2.0
// Devices of backends that may not be started yet.
#pragma once

#include "backend/backend.hpp"

namespace gs {

struct UnstartedDevice {
    Backend *backend;
    int32_t ordinal; // checked by the backend
};

// Starts nothing, except that GS_DEVICE_CURRENT initialises the library (BAD_FORK in a forked child).
Status find_unstarted(ThreadBlock &thread, gs_device_t number, UnstartedDevice *out) noexcept;

// The inventory of the machine, with the device that each entry is in this process. Starts no backend.

// gs_inventory_count().
Status count_inventory(int32_t *out_gpus, int32_t *out_entries) noexcept;
// gs_inventory_get(): every field but struct_size. INVALID_ARGUMENT when there is no such entry.
Status inventory_entry(int32_t index, gs_inventory_entry_t *out) noexcept;

} // namespace gs
