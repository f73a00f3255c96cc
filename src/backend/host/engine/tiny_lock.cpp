// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/tiny_lock.hpp"

namespace gs::host {
namespace {

constexpr int kLockSpins = 100;

} // namespace

void TinyLock::lock_slow() noexcept {
    for (int i = 0; i < kLockSpins; ++i) {
        uint32_t expected = kFree;
        if (word_.load(std::memory_order_relaxed) == kFree &&
            word_.compare_exchange_weak(expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed))
            return;
        cpu_relax();
    }
    while (word_.exchange(kContended, std::memory_order_acquire) != kFree) futex_wait(word_, kContended);
}

} // namespace gs::host
