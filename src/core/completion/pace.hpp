// SPDX-License-Identifier: Apache-2.0
// When to ask again whether work is done: the decision between sleeping and spinning. Pure functions; no clock.
//
// A wait sleeps in naps until shortly before the work's shortest known duration, then spins within its share of a processor,
// then naps again. If durations vary by more than that share, spinning would rarely see the end: short naps do. A nap is never
// longer than the delay that the wait may add, so a wrong guess costs little: what is learned decides when to spin, not how
// long to be blind.
#pragma once

#include <cstdint>

#include "core/completion/learner.hpp"

namespace gs {

inline constexpr uint64_t kShortestNapNs = 15'000;     // sleeping for less costs as much as spinning
inline constexpr uint64_t kFirstLongestNapNs = 90'000; // of work that is young
inline constexpr uint64_t kNapShare = 320;             // later: this part of the time that has passed
inline constexpr uint64_t kLongestNapNs = 5'000'000;   // of a wait of any age: 200 questions a second cost nothing
inline constexpr uint64_t kLongestLeadNs = 15'000;     // a sleeper is back on its processor this much late
inline constexpr uint64_t kShortestLeadNs = 8'000;
// While work whose duration varies may end at any time. Every wait pays for the naps in the first half of that time, and fewer for
// those in the second. Of short work each nap is a larger part. What always takes as long ends soon after the shortest duration.
inline constexpr uint64_t kWideNapNs = 12'000;
inline constexpr uint64_t kEarlyWideNapNs = 24'000; // in the first half, of work that may end before kShortWideWorkNs
inline constexpr uint64_t kShortWideWorkNs = 250'000;
inline constexpr uint64_t kLateWideNapNs = 7'000; // in the second half
inline constexpr uint64_t kWideNapShare = 125;    // of long work: this part of the time that has passed
inline constexpr uint64_t kFirstSpinNs = 8'000;   // of work of unknown duration
inline constexpr uint64_t kShortWorkNs = 60'000;  // spinning is right for less

// How long before the work's shortest known duration sleepers are woken up who wait for its completion: a processor that has
// slept for long is slow to begin. They spin until then, so it is a small part of the duration. 0: not at all.
constexpr uint64_t alert_lead_ns(const Learner::Window &window) noexcept {
    const uint64_t lead = window.low_ns / 10;
    return !window.known || window.low_ns <= kShortWorkNs ? 0 : lead < 60'000 ? lead : 60'000;
}

// How long a sleeper that was woken up so spins at most: its share of a processor, and not beyond the limit of its wait.
constexpr uint64_t alerted_spin_ns(uint64_t waited_ns, uint32_t share_percent, int64_t timeout_ns) noexcept {
    const uint64_t share = waited_ns * share_percent / 100;
    if (timeout_ns < 0) return share;
    const auto limit = static_cast<uint64_t>(timeout_ns);
    const uint64_t left = limit > waited_ns ? limit - waited_ns : 0;
    return share < left ? share : left;
}

struct Step {
    bool spin;
    uint64_t sleep_ns; // if it does not spin
};

// The longest nap after elapsed_ns of waiting.
constexpr uint64_t longest_nap_ns(uint64_t elapsed_ns) noexcept {
    const uint64_t share = elapsed_ns / kNapShare;
    return share <= kFirstLongestNapNs ? kFirstLongestNapNs : share < kLongestNapNs ? share : kLongestNapNs;
}

// spun_ns: how much of the elapsed time the wait has spun so far. share_percent: GPUSTREAM_WAIT_CPU.
Step next_step(const Learner::Window &window, uint64_t elapsed_ns, uint64_t spun_ns, uint32_t share_percent) noexcept;

} // namespace gs
