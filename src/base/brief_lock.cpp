// SPDX-License-Identifier: Apache-2.0
#include "base/brief_lock.hpp"

#include "base/cpu_relax.hpp"
#include "base/futex.hpp"

namespace gs {
namespace {

constexpr int kSpins = 100;
constexpr uint64_t kLongestSleepNs = 100'000;

} // namespace

void BriefLock::lock_slowly() noexcept {
    for (int i = 0; i < kSpins; ++i) {
        if (word_.load(std::memory_order_relaxed) == kFree && word_.exchange(kHeld, std::memory_order_acquire) == kFree)
            return;
        cpu_relax();
    }
    sleepers_.fetch_add(1, std::memory_order_relaxed);
    while (word_.exchange(kHeld, std::memory_order_acquire) != kFree) futex_wait(word_, kHeld, kLongestSleepNs);
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
}

// One of them: if another thread is faster than that one, it wakes the next.
void BriefLock::wake() noexcept { futex_wake(word_, 1); }

} // namespace gs
