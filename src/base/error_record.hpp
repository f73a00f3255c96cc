// SPDX-License-Identifier: Apache-2.0
// The error record before the first failure.
#pragma once

#include "gpustream.h"

namespace gs {

// No device is involved yet, and 0 is the number of one.
constexpr gs_error_info_t no_error() noexcept {
    gs_error_info_t record{};
    record.struct_size = sizeof record;
    record.device = GS_DEVICE_NONE;
    return record;
}

} // namespace gs
