// SPDX-License-Identifier: Apache-2.0
// The error record before the first failure.
#pragma once

#include "gpustream.h"

namespace gs {

// It is about no object, which for devices is not 0.
constexpr gs_error_info_t no_error() noexcept {
    gs_error_info_t record{};
    record.struct_size = sizeof record;
    record.device = GS_DEVICE_NONE;
    return record;
}

} // namespace gs
