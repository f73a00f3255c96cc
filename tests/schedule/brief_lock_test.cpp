// SPDX-License-Identifier: Apache-2.0
// The lock that is given back by a plain store (base/lock.hpp), with stores that reach other threads late.
#include "base/lock.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "base/clock.hpp"
#include "schedule/scheduler/explore.hpp"

namespace gs::schedule {
namespace {

// The same without spinning, where no sleep may last to its limit. It does if a store and the look after it change places.
class Timely {
public:
    void lock() noexcept {
        if (word_.exchange(1, std::memory_order_acquire) == 0) return;
        sleepers_.fetch_add(1, std::memory_order_relaxed);
        while (word_.exchange(1, std::memory_order_acquire) != 0) {
            const uint64_t before = monotonic_ns();
            futex_wait(word_, 1, kLimitNs);
            require(monotonic_ns() - before < kLimitNs, "a thread has slept although the lock was free");
        }
        sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
    void unlock() noexcept {
        word_.store(0, std::memory_order_release);
        if (sleepers_.load(std::memory_order_relaxed) != 0) futex_wake(word_, 1);
    }

private:
    static constexpr uint64_t kLimitNs = 1'000'000'000;
    std::atomic<uint32_t> word_{0};
    std::atomic<uint32_t> sleepers_{0};
};

// Not a lock: both may find it free.
class Leaky {
public:
    void lock() noexcept {
        while (word_.load(std::memory_order_acquire) != 0) futex_wait(word_, 1, 1000);
        word_.store(1, std::memory_order_release);
    }
    void unlock() noexcept { word_.store(0, std::memory_order_release); }

private:
    std::atomic<uint32_t> word_{0};
};

template <typename Lock>
Scenario turns() {
    static Lock lock;
    static std::atomic<int> inside, through;
    const auto turn = [] {
        lock.lock();
        require(inside.fetch_add(1, std::memory_order_relaxed) == 0, "two threads have the lock");
        inside.fetch_sub(1, std::memory_order_relaxed);
        through.fetch_add(1, std::memory_order_relaxed);
        lock.unlock();
    };
    return {"two threads take the lock",
            [] {
                std::construct_at(&lock); // as a run that was broken has left it
                inside = through = 0;
            },
            {turn, turn},
            [] { require(through == 2, "a thread did not get the lock"); }};
}

TEST(BriefLock, OneThreadAtATimeAndNoneIsLeft) {
    expect_clean(turns<BriefLock>());
    expect_clean(turns<BriefLock>(), {.buffered = true});
}

// Why a sleep has a limit.
TEST(BriefLock, OnlyALateStoreMissesASleeper) {
    expect_clean(turns<Timely>());
    expect_broken(turns<Timely>(), {.buffered = true});
}

TEST(BriefLock, ALookAndAStoreAreNoLock) { expect_broken(turns<Leaky>()); }

} // namespace
} // namespace gs::schedule
