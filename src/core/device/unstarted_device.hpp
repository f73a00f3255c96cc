// SPDX-License-Identifier: Apache-2.0
// Devices of backends that need not have been started, and the inventory of the machine.
#pragma once

#include "backend/backend.hpp"

namespace gs {

struct UnstartedDevice {
    Backend *backend;
    int32_t ordinal; // not checked: the backend does
};

// Starts nothing, but for GS_DEVICE_CURRENT, which initialises. BAD_FORK for that in a forked child.
Status find_unstarted(ThreadBlock &thread, gs_device_t number, UnstartedDevice *out) noexcept;

Status count_inventory(int32_t *out_gpus, int32_t *out_entries) noexcept;
// Everything but struct_size. INVALID_ARGUMENT when there is no such entry.
Status inventory_entry(int32_t index, gs_inventory_entry_t *out) noexcept;

} // namespace gs
