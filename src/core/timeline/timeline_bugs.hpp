// SPDX-License-Identifier: Apache-2.0
// Seeded bugs of timelines, which the random programs must find. Only in the build that the tests link, as those of
// base/testing.hpp.
#pragma once

#if defined(GPUSTREAM_TESTING)
#include <atomic>
namespace gs::testing {
enum class TimelineBug {
    None,
    SignalsOvertake,
    WaitForAnySignal,
};
inline std::atomic<TimelineBug> timeline_bug{TimelineBug::None};
} // namespace gs::testing
#define GS_TIMELINE_BUG(which)                                                                                         \
    (::gs::testing::timeline_bug.load(std::memory_order_relaxed) == ::gs::testing::TimelineBug::which)
#else
#define GS_TIMELINE_BUG(which) false
#endif
