// SPDX-License-Identifier: Apache-2.0
// What a thread knows of the other threads' stores, and what a store hands on to a thread that acquires it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace gs::schedule {

inline constexpr int kMostThreads = 5; // with the scheduler's thread 0, which makes no access
inline constexpr int kMostLocations = 32;

struct View {
    std::array<uint64_t, kMostLocations> oldest{}; // per location: the stamp of the oldest store that may still be read
    std::array<uint32_t, kMostThreads> steps{};    // per thread: its steps that happen before

    void join(const View &other) noexcept {
        for (int i = 0; i < kMostLocations; ++i) oldest[i] = std::max(oldest[i], other.oldest[i]);
        for (int i = 0; i < kMostThreads; ++i) steps[i] = std::max(steps[i], other.steps[i]);
    }
};

} // namespace gs::schedule
