// SPDX-License-Identifier: Apache-2.0
#include "core/completion/learner.hpp"

#include <algorithm>

namespace gs {
namespace {

constexpr uint32_t kLearnerBits = 10;
constexpr uint32_t kDeviceBits = 5;
constinit Learner g_learners[1u << kLearnerBits];
constinit Learner g_device_learners[1u << kDeviceBits];

uint64_t spread(uint64_t key) noexcept { return key * 0x9E3779B97F4A7C15u; }

} // namespace

void Learner::add_of(uint64_t key, uint64_t duration_ns) noexcept {
    if (!is_of(key)) {
        key_.store(key, std::memory_order_relaxed);
        count_.store(0, std::memory_order_relaxed);
    }
    add(duration_ns);
}

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
    note_window(std::min(count + 1, kKept));
}

// Here rather than in window(), which is asked for much more often.
void Learner::note_window(uint32_t count) noexcept {
    uint64_t sorted[kKept] = {};
    for (uint32_t i = 0; i < kKept && i < count; ++i) {
        const uint64_t value = kept_[i].load(std::memory_order_relaxed);
        uint32_t place = i;
        for (; place > 0 && sorted[place - 1] > value; --place) sorted[place] = sorted[place - 1];
        sorted[place] = value;
    }
    // One outlier must not make every wait begin to spin early, or not at all.
    const uint32_t spare = count >= 4 ? 1 : 0;
    high_ns_.store(sorted[count - 1 - spare], std::memory_order_relaxed);
    low_ns_.store(std::max<uint64_t>(sorted[spare], 1), std::memory_order_relaxed);
}

Learner &learner_of(uint64_t key) noexcept { return g_learners[spread(key) >> (64 - kLearnerBits)]; }

Learner &learner_of_device(const void *device) noexcept {
    return g_device_learners[spread(reinterpret_cast<uintptr_t>(device)) >> (64 - kDeviceBits)];
}

} // namespace gs
