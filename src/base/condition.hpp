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

    // Releases the mutex while sleeping. May return early, so the caller checks its condition in a loop.
    void wait(Mutex &mutex) noexcept GS_REQUIRES(mutex) { wait_for(mutex, 0); }
    // The same with a limit; 0: none.
    void wait_for(Mutex &mutex, uint64_t timeout_ns) noexcept GS_REQUIRES(mutex);
    // Wakes all that wait. The caller holds their mutex.
    void notify_all() noexcept;

private:
    std::atomic<uint32_t> turn_{0}; // changes only under the mutex
    uint32_t waiting_ = 0;          // guarded by the mutex
};

} // namespace gs
