// SPDX-License-Identifier: Apache-2.0
// A condition variable on a futex. Unlike pthread_cond_t it is constant-initialised and still counts limits by
// CLOCK_MONOTONIC, and it cannot lose a wake-up (glibc bug 25847).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.hpp"

namespace gs {

class Condition {
public:
    constexpr Condition() noexcept = default;
    Condition(const Condition &) = delete;
    Condition &operator=(const Condition &) = delete;

    // Releases the mutex (a Mutex or a BriefLock) while sleeping. May return early, so the caller checks its condition in a loop.
    template <typename Lock>
    void wait(Lock &mutex) noexcept GS_REQUIRES(mutex) {
        wait_for(mutex, 0);
    }
    // The same with a limit; 0: none.
    template <typename Lock>
    void wait_for(Lock &mutex, uint64_t timeout_ns) noexcept GS_REQUIRES(mutex) {
        const uint32_t turn = turn_.load(std::memory_order_relaxed); // a notification from now on changes it
        ++waiting_;
        mutex.unlock();
        sleep(turn, timeout_ns);
        mutex.lock();
        --waiting_;
    }
    // Wakes all that wait. The caller holds their mutex.
    void notify_all() noexcept {
        if (notify_later()) wake();
    }
    // The same in two parts, so that the threads that wake find the mutex free; the first call holds the mutex, the
    // second one is made without it if the first one returned true. For a condition that outlives the second call.
    bool notify_later() noexcept {
        if (waiting_ == 0) return false;
        turn_.fetch_add(1, std::memory_order_relaxed);
        return true;
    }
    void wake() noexcept;

private:
    void sleep(uint32_t turn, uint64_t timeout_ns) noexcept;

    std::atomic<uint32_t> turn_{0}; // changes only under the mutex
    uint32_t waiting_ = 0;          // guarded by the mutex
};

} // namespace gs
