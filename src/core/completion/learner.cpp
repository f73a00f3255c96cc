// SPDX-License-Identifier: Apache-2.0
#include "core/completion/learner.hpp"

#include <algorithm>

namespace gs {
namespace {

constexpr uint32_t kLearnerBits = 10;
constinit Learner g_learners[1u << kLearnerBits];

} // namespace

void Learner::add(uint64_t duration_ns) noexcept {
#if defined(GPUSTREAM_SCHEDULED)
    // Runs of a schedule must not depend on the runs before.
    (void)duration_ns;
    return;
#endif
    const uint32_t count = count_.load(std::memory_order_relaxed);
    kept_[count % kKept].store(duration_ns, std::memory_order_relaxed);
    // Beyond the first round only the place matters.
    count_.store(count + 1 < 2 * kKept ? count + 1 : kKept, std::memory_order_relaxed);
}

Learner::Window Learner::window() const noexcept {
    const uint32_t count = std::min(count_.load(std::memory_order_relaxed), kKept);
    if (count == 0) return {};
    uint64_t sorted[kKept];
    for (uint32_t i = 0; i < count; ++i) sorted[i] = kept_[i].load(std::memory_order_relaxed);
    std::sort(sorted, sorted + count);
    // One outlier must not make every wait begin to spin early, or not at all.
    const uint32_t spare = count >= 4 ? 1 : 0;
    return {sorted[spare], sorted[count - 1 - spare], true};
}

Learner &learner_of(uint64_t key) noexcept { return g_learners[(key * 0x9E3779B97F4A7C15u) >> (64 - kLearnerBits)]; }

} // namespace gs
