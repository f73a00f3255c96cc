// SPDX-License-Identifier: Apache-2.0
// The smallest lock that can be built from a 32-bit word.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/lock.hpp"

// For the few functions whose locking depends on a condition, which the analysis does not follow.
#if defined(__clang__)
#define GS_NO_LOCK_ANALYSIS __attribute__((no_thread_safety_analysis))
#else
#define GS_NO_LOCK_ANALYSIS
#endif

namespace gs::host {

// Four bytes, two atomic operations when uncontended. Held for tens of nanoseconds by hot paths, where a pthread mutex
// would cost as much as the operation itself. Memory that held one stays readable after the object around it was
// freed (slab.hpp), so that a late wake of unlock() is harmless.
class GS_CAPABILITY("mutex") TinyLock {
public:
    constexpr TinyLock() noexcept = default;
    TinyLock(const TinyLock &) = delete;
    TinyLock &operator=(const TinyLock &) = delete;

    void lock() noexcept GS_ACQUIRE() {
        uint32_t expected = kFree;
        if (!word_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed))
            lock_slow();
    }
    void unlock() noexcept GS_RELEASE() {
        if (word_.exchange(kFree, std::memory_order_release) == kContended) futex_wake(word_, 1);
    }

private:
    static constexpr uint32_t kFree = 0, kHeld = 1, kContended = 2;
    void lock_slow() noexcept;
    std::atomic<uint32_t> word_{kFree};
};

class GS_SCOPED_CAPABILITY TinyGuard {
public:
    explicit TinyGuard(TinyLock &lock) noexcept GS_ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
    ~TinyGuard() GS_RELEASE() { lock_.unlock(); }
    TinyGuard(const TinyGuard &) = delete;
    TinyGuard &operator=(const TinyGuard &) = delete;

private:
    TinyLock &lock_;
};

} // namespace gs::host
