// SPDX-License-Identifier: Apache-2.0
// The times of events by the host's clock, reckoned from comparisons of the two clocks.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Blocks. *out_error_ns: how exact the comparison is.
Status calibrate_device(ThreadBlock &thread, Device &device, int64_t *out_error_ns) noexcept;

struct HostTime {
    int64_t ns;
    int64_t error_ns;
};
// Under the caller's CallMark.
Status event_time(ThreadBlock &thread, EventSlot &event, HostTime *out) noexcept;

} // namespace gs
