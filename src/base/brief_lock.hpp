// SPDX-License-Identifier: Apache-2.0
// A lock for a few stores on a hot path, or one that threads rarely wait for. Taking it costs the most, since an
// atomic read-modify-write takes as long as twenty stores. A pthread mutex needs one to lock and one to unlock, this
// lock needs one in all.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/mutex.hpp"

namespace gs {

// unlock() is a plain store, and may miss a thread that is just going to sleep. That thread may read the word before
// it sees the store, and the owner may read `sleepers_` before the thread is counted there
// (tests/schedule/brief_lock_test.cpp). A sleep therefore has a limit, and lasts that long only in this case. The
// lock is never freed while a thread may use it.
class GS_CAPABILITY("mutex") BriefLock {
public:
    constexpr BriefLock() noexcept = default;
    BriefLock(const BriefLock &) = delete;
    BriefLock &operator=(const BriefLock &) = delete;

    void lock() noexcept GS_ACQUIRE() {
        if (word_.exchange(kHeld, std::memory_order_acquire) != kFree) lock_slowly();
        GS_COUNT_LOCK(1);
    }
    void unlock() noexcept GS_RELEASE() {
        GS_COUNT_LOCK(-1);
        word_.store(kFree, std::memory_order_release);
        if (sleepers_.load(std::memory_order_relaxed) != 0) wake();
    }
    // In the child of a fork, by the thread that has the lock: the sleepers that it counts are threads of the parent.
    void inherit() noexcept { sleepers_.store(0, std::memory_order_relaxed); }

private:
    static constexpr uint32_t kFree = 0, kHeld = 1;
    void lock_slowly() noexcept __attribute__((cold));
    void wake() noexcept __attribute__((cold));

    std::atomic<uint32_t> word_{kFree};
    std::atomic<uint32_t> sleepers_{0}; // threads that sleep, or are about to
};

class GS_SCOPED_CAPABILITY BriefGuard {
public:
    explicit BriefGuard(BriefLock &lock) noexcept GS_ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
    ~BriefGuard() GS_RELEASE() { lock_.unlock(); }
    BriefGuard(const BriefGuard &) = delete;
    BriefGuard &operator=(const BriefGuard &) = delete;

private:
    BriefLock &lock_;
};

} // namespace gs
