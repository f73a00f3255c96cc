// SPDX-License-Identifier: Apache-2.0
#include "core/completion/pace.hpp"

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

namespace {

constexpr uint64_t kShortestUnknownNapNs = 30'000;
constexpr uint64_t kUnknownNapShare = 16;
constexpr uint64_t kLateNapShare = 64; // after all that was expected

// Grows with the time that has passed, so that the delay stays a small part of it.
uint64_t nap_ns(uint64_t elapsed_ns, uint64_t share, uint64_t shortest_ns = kShortestNapNs) noexcept {
    return std::clamp(elapsed_ns / share, shortest_ns, longest_nap_ns(elapsed_ns));
}

uint64_t wide_nap_ns(const Learner::Window &window, uint64_t elapsed_ns) noexcept {
    uint64_t shortest = kWideNapNs;
    if (elapsed_ns >= window.low_ns / 2 + window.high_ns / 2)
        shortest = kLateWideNapNs;
    else if (elapsed_ns >= window.low_ns && window.low_ns < kShortWideWorkNs)
        shortest = kEarlyWideNapNs;
    return std::clamp(elapsed_ns / kWideNapShare, shortest, longest_nap_ns(elapsed_ns));
}

} // namespace

Step next_step(const Learner::Window &window, uint64_t elapsed_ns, uint64_t spun_ns, uint32_t share_percent) noexcept {
    if (!window.known) return {elapsed_ns < kFirstSpinNs, nap_ns(elapsed_ns, kUnknownNapShare, kShortestUnknownNapNs)};
    if (window.low_ns <= kShortWorkNs) {
        const uint64_t enough = std::min(2 * window.high_ns, 2 * kShortWorkNs);
        return {elapsed_ns < std::max(enough, kFirstSpinNs), nap_ns(elapsed_ns, kLateNapShare)};
    }
    const uint64_t begin = window.low_ns - std::clamp(window.low_ns / 10, kShortestLeadNs, kLongestLeadNs);
    if (elapsed_ns + kShortestNapNs / 2 < begin)
        return {false, std::min(std::max(begin - elapsed_ns, kShortestNapNs / 2), longest_nap_ns(elapsed_ns))};
    if (elapsed_ns < window.high_ns && window.high_ns - window.low_ns > window.low_ns * share_percent / 100)
        return {false, wide_nap_ns(window, elapsed_ns)};
    const uint64_t allowed = std::max(elapsed_ns, window.low_ns) * share_percent / 100;
    return {spun_ns < allowed, nap_ns(elapsed_ns, kLateNapShare)};
}

} // namespace gs
