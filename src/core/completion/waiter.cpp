// SPDX-License-Identifier: Apache-2.0
#include "core/completion/waiter.hpp"

#include <sys/prctl.h>

#include <algorithm>

#include "base/cpu_relax.hpp"
#include "base/futex.hpp"
#include "core/completion/pace.hpp"
#include "core/completion/wait_mode.hpp"

namespace gs {
namespace {

constexpr unsigned long kWaiterSlackNs = 1'000;
constexpr int kWaiterPauses = 4; // between two questions while spinning

} // namespace

ExactTimers::~ExactTimers() {
    if (before_ > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before_), 0, 0, 0);
}

void ExactTimers::use() noexcept {
    if (before_ != 0) return;
    before_ = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
    if (before_ > 0) prctl(PR_SET_TIMERSLACK, kWaiterSlackNs, 0, 0, 0);
}

bool Waiter::pass(const Learner::Window &window, bool told, uint32_t signal) noexcept {
    const uint64_t now = monotonic_ns();
    const uint64_t elapsed = now - begin_ns_;
    if (is_over(elapsed)) return false;
    bool spun = false;
    if (told && limit_.mode != GS_WAIT_SPIN) {
        sleep(elapsed, kLongestRestNs, signal);
    } else if (spins(window, elapsed)) {
        spun = true;
        for (int i = 0; i < kWaiterPauses; ++i) cpu_relax();
        spun_ns_ += monotonic_ns() - (spun_last_ ? asked_ns_ : now); // with the question before
    } else {
        nap(elapsed);
    }
    asked_ns_ = monotonic_ns();
    spun_last_ = spun;
    return true;
}

bool Waiter::rest(uint32_t signal, uint64_t longest_ns) noexcept {
    const uint64_t elapsed = elapsed_ns();
    if (is_over(elapsed)) return false;
    if (longest_ns < kLongestRestNs) timers_.use();
    sleep(elapsed, longest_ns, signal);
    spun_last_ = false;
    return true;
}

bool Waiter::spins(const Learner::Window &window, uint64_t elapsed) noexcept {
    if (limit_.mode == GS_WAIT_SPIN) return true;
    const Step step = next_step(window, elapsed, spun_ns_, wait_share_percent());
    sleep_ns_ = step.sleep_ns;
    return step.spin && limit_.mode != GS_WAIT_BLOCK;
}

void Waiter::nap(uint64_t elapsed) noexcept {
    timers_.use();
    sleep(elapsed, std::max(sleep_ns_, kShortestNapNs / 2), thread_.signal.load(std::memory_order_acquire));
}

void Waiter::sleep(uint64_t elapsed, uint64_t ns, uint32_t signal) noexcept {
    if (limit_.timeout_ns >= 0) ns = std::min(ns, static_cast<uint64_t>(limit_.timeout_ns) - elapsed);
    futex_wait(thread_.signal, signal, std::max<uint64_t>(ns, 1));
}

} // namespace gs
