// SPDX-License-Identifier: Apache-2.0
// Limits of waits: durations of the standard library as the nanoseconds of the C functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>

#include "result.hpp"

GPUSTREAM_BEGIN_NAMESPACE
namespace detail {

/// Rounded up; what is over already is 0, since a negative number means no limit to the C functions.
template <typename Rep, typename Period>
int64_t limit_ns(std::chrono::duration<Rep, Period> limit) noexcept {
    if (!(limit > limit.zero())) return 0;
    const std::chrono::duration<double, std::nano> wide(limit);
    if (!(wide.count() < 9.2e18)) return std::numeric_limits<int64_t>::max();
    return static_cast<int64_t>(std::chrono::ceil<std::chrono::nanoseconds>(limit).count());
}

/// False for a limit that passed; any other failure is one.
inline outcome<bool> in_time(gs_status_t status) {
    return value(status == GS_ERROR_TIMEOUT ? GS_OK : status, status == GS_OK);
}

} // namespace detail
GPUSTREAM_END_NAMESPACE
