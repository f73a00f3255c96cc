// SPDX-License-Identifier: Apache-2.0
// Seeded bugs of completion, which its models and schedules must find. Only in the build that the tests link, as those of
// base/testing.hpp.
#pragma once

#if defined(GPUSTREAM_TESTING)
#include <atomic>
namespace gs::testing {
enum class CompletionBug { None, EarlyLookAtLanes, SleepWithoutALook };
inline std::atomic<CompletionBug> completion_bug{CompletionBug::None};
} // namespace gs::testing
#define GS_COMPLETION_BUG(which)                                                                                       \
    (::gs::testing::completion_bug.load(std::memory_order_relaxed) == ::gs::testing::CompletionBug::which)
#else
#define GS_COMPLETION_BUG(which) false
#endif
