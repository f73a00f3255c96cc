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

} // namespace gs
