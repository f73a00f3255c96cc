// SPDX-License-Identifier: Apache-2.0
#include "base/condition.hpp"

#include "base/futex.hpp"
#include "base/testing.hpp"

namespace gs {

void Condition::wait_for(Mutex &mutex, uint64_t timeout_ns) noexcept {
    const uint32_t turn = turn_.load(std::memory_order_relaxed); // a notification from now on changes it
    ++waiting_;
    mutex.unlock();
    futex_wait(turn_, GS_BUG(LateLookAtTheTurn) ? turn_.load() : turn, timeout_ns);
    mutex.lock();
    --waiting_;
}

void Condition::notify_all() noexcept {
    if (waiting_ == 0) return;
    turn_.fetch_add(1, std::memory_order_relaxed);
    futex_wake(turn_, kWakeAll);
}

} // namespace gs
