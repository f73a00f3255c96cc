// SPDX-License-Identifier: Apache-2.0
#include "core/completion/pace.hpp"

#include <algorithm>

namespace gs {
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
