// SPDX-License-Identifier: Apache-2.0
// How long work takes, when a waiting thread naps and when it spins, and which share of a processor that may take. No clock: the
// caller says what time it is, so tests feed made-up times.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/status.hpp"

namespace gs {

// How long work took lately on one device. Threads share it without a lock: what is lost or mixed up makes a wait less exact, never
// wrong.
class Learner {
public:
    static constexpr uint32_t kKept = 8;

    void add(uint64_t duration_ns) noexcept;

    struct Window {
        uint64_t low_ns = 0;  // nearly all recent durations were at least this long
        uint64_t high_ns = 0; // and at most this
        bool known = false;
    };
    Window window() const noexcept {
        const uint64_t low = low_ns_.load(std::memory_order_relaxed);
        if (low == 0) return {};
        const uint64_t high = high_ns_.load(std::memory_order_relaxed);
        return {low, high > low ? high : low, true}; // the two may be of different moments
    }

private:
    void note_window(uint32_t count) noexcept;

    std::atomic<uint64_t> kept_[kKept] = {};
    std::atomic<uint32_t> count_{0};
    std::atomic<uint64_t> low_ns_{0}; // of the window; 0: nothing is known
    std::atomic<uint64_t> high_ns_{0};
};

// Of the device with this index. A few devices may share one.
Learner &learner_of(int32_t device_index) noexcept;

// When to ask again whether work is done: the decision between sleeping and spinning.
//
// A wait sleeps in naps until shortly before the work's shortest known duration, then spins within its share of a processor,
// then naps again. If durations vary by more than that share, spinning would rarely see the end: short naps do. A nap
// is at most as long as the delay that the wait may add, so a wrong guess costs little. What is learned decides only
// when to spin.
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
inline constexpr uint64_t kShortWorkNs = 60'000;  // spinning is right for work that never takes longer

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

// The share of a processor that a thread may spend on asking and spinning.
class Budget {
public:
    static constexpr uint64_t kMostSavedNs = 4'000'000; // after a quiet time

    explicit constexpr Budget(uint32_t share_percent) noexcept : share_percent_(share_percent) {}

    // Time passed; `busy` of it was spent.
    void pass(uint64_t ns, bool busy) noexcept {
        const uint64_t earned = ns * share_percent_ / 100;
        saved_ns_ = std::min(saved_ns_ + earned, kMostSavedNs);
        if (busy) saved_ns_ -= std::min(ns, saved_ns_);
    }
    bool may_spin() const noexcept { return saved_ns_ > 0; }

private:
    uint64_t saved_ns_ = kMostSavedNs / 8;
    uint32_t share_percent_;
};

// How threads wait: GS_OPTION_WAIT_MODE, GPUSTREAM_WAIT, GPUSTREAM_WAIT_CPU.
extern std::atomic<int32_t> g_wait_mode __attribute__((visibility("hidden"))); // -1: the environment was not read yet
int32_t wait_mode_slowly() noexcept __attribute__((cold, noinline));
// GS_WAIT_*
inline int32_t wait_mode() noexcept {
    const int32_t mode = g_wait_mode.load(std::memory_order_relaxed);
    return mode >= 0 ? mode : wait_mode_slowly();
}

// Percent of a processor that may be spent on spinning.
uint32_t wait_share_percent() noexcept;

} // namespace gs
