// SPDX-License-Identifier: Apache-2.0
// Devices of backends that need not have been started.
#pragma once

#include "backend/backend.hpp"

namespace gs {

struct UnstartedDevice {
    Backend *backend;
    int32_t ordinal; // not checked: the backend does
};

// Starts nothing, but for GS_DEVICE_CURRENT, which initialises. BAD_FORK for that in a forked child.
Status find_unstarted(ThreadBlock &thread, gs_device_t number, UnstartedDevice *out) noexcept;

} // namespace gs
