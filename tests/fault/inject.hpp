// SPDX-License-Identifier: Apache-2.0
// Injected failures, and host functions that count their calls.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <deque>

#include "fault/fake_driver.hpp"
#include "support/objects.hpp"

namespace gs::test {

using Count = std::atomic<int>;

inline void add_one(void *count) { ++*static_cast<Count *>(count); }

inline constexpr const char *kCaptureInfo = "cuStreamGetCaptureInfo_v2";

inline void inject(const char *function, int phase, int mode = FAKE_CUDA_TRANSIENT, uint64_t nth = 1) {
    fake_cuda_fault_t fault{};
    fault.function = function;
    fault.nth = nth;
    fault.code = 999;
    fault.phase = phase;
    fault.mode = mode;
    fault.device = -1;
    fake().inject(&fault);
}

inline void inject_launch(int mode = FAKE_CUDA_TRANSIENT) { inject("cuLaunchHostFunc", FAKE_CUDA_AFTER, mode); }

inline void launch_many(gs_stream_t stream, std::deque<Count> &counts, int number) {
    for (int i = 0; i < number; ++i) ASSERT_OK(gs_stream_launch_host(stream, add_one, &counts.emplace_back(0)));
}

inline void expect_all(const std::deque<Count> &counts, int times) {
    for (size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], times) << "function " << i;
}

} // namespace gs::test
