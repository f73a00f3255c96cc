// SPDX-License-Identifier: Apache-2.0
#include "core/completion/pace.hpp"

#include <cstring>

#include "base/env.hpp"
#include "base/log.hpp"
#include "gpustream.h"

namespace gs {
namespace {

constexpr uint32_t kLearners = 32;
constinit Learner g_learners[kLearners];

constexpr uint64_t kShortestUnknownNapNs = 30'000;
constexpr uint64_t kUnknownNapShare = 16;
constexpr uint64_t kLateNapShare = 64; // after all that was expected
constexpr uint64_t kWidestWindow =
    4; // times the shortest duration: durations farther apart do not predict the next one

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

Learner &learner_of(int32_t device_index) noexcept {
    return g_learners[static_cast<uint32_t>(device_index) % kLearners];
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
    // One outlier must not make every wait begin to spin early, or give up spinning.
    const uint32_t spare = count >= 4 ? 1 : 0;
    high_ns_.store(sorted[count - 1 - spare], std::memory_order_relaxed);
    low_ns_.store(std::max<uint64_t>(sorted[spare], 1), std::memory_order_relaxed);
}

Step next_step(const Learner::Window &window, uint64_t elapsed_ns, uint64_t spun_ns, uint32_t share_percent) noexcept {
    const bool is_short = window.high_ns <= kShortWorkNs;
    if (!window.known || (!is_short && window.high_ns > kWidestWindow * window.low_ns))
        return {elapsed_ns < kFirstSpinNs, nap_ns(elapsed_ns, kUnknownNapShare, kShortestUnknownNapNs)};
    if (is_short) {
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

namespace {

constexpr const char *kWaitModes[] = {"driver", "spin", "block", "adaptive"}; // GS_WAIT_*

std::atomic<uint32_t> g_wait_share{0};

int32_t mode_of_environment() noexcept {
    const char *text = env_text(Variable::Wait);
    if (!text || *text == '\0') return GS_WAIT_DRIVER;
    for (int32_t mode = 0; mode <= GS_WAIT_ADAPTIVE; ++mode)
        if (std::strcmp(text, kWaitModes[mode]) == 0) return mode;
    log_message(GS_LOG_WARNING, "%s='%s' is ignored: it is none of driver, spin, block and adaptive",
                name_of(Variable::Wait), text);
    return GS_WAIT_DRIVER;
}

} // namespace

std::atomic<int32_t> g_wait_mode{-1};

int32_t wait_mode_slowly() noexcept {
    int32_t mode = -1;
    const int32_t first = mode_of_environment();
    return g_wait_mode.compare_exchange_strong(mode, first, std::memory_order_relaxed) ? first : mode;
}

uint32_t wait_share_percent() noexcept {
    uint32_t share = g_wait_share.load(std::memory_order_relaxed);
    if (share != 0) return share;
    share = static_cast<uint32_t>(env_number(kWaitCpuNumber));
    g_wait_share.store(share, std::memory_order_relaxed);
    return share;
}

} // namespace gs
