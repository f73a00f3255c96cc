// SPDX-License-Identifier: Apache-2.0
// How threads wait for each other: a mutex, a lock for a few stores, a condition, and sleeping on a word.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "base/testing.hpp"

#if defined(__clang__)
#define GS_CAPABILITY(x) __attribute__((capability(x)))
#define GS_SCOPED_CAPABILITY __attribute__((scoped_lockable))
#define GS_GUARDED_BY(x) __attribute__((guarded_by(x)))
#define GS_ACQUIRE(...) __attribute__((acquire_capability(__VA_ARGS__)))
#define GS_TRY_ACQUIRE(...) __attribute__((try_acquire_capability(__VA_ARGS__)))
#define GS_RELEASE(...) __attribute__((release_capability(__VA_ARGS__)))
#define GS_REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define GS_EXCLUDES(...) __attribute__((locks_excluded(__VA_ARGS__)))
#define GS_UNANALYSED __attribute__((no_thread_safety_analysis)) // locks held from one function to another
#else
#define GS_CAPABILITY(x)
#define GS_SCOPED_CAPABILITY
#define GS_GUARDED_BY(x)
#define GS_ACQUIRE(...)
#define GS_TRY_ACQUIRE(...)
#define GS_RELEASE(...)
#define GS_REQUIRES(...)
#define GS_EXCLUDES(...)
#define GS_UNANALYSED
#endif

namespace gs {

// Sleeping on a 32-bit word. Limits are counted by CLOCK_MONOTONIC (futex(2): relative timeouts of FUTEX_WAIT).

// Sleeps while the word is `expected`, until woken; may return early. timeout_ns 0: no limit.
// shared: the word lies in memory shared with other processes.
void futex_wait(const std::atomic<uint32_t> &word, uint32_t expected, uint64_t timeout_ns = 0,
                bool shared = false) noexcept;
void futex_wake(const std::atomic<uint32_t> &word, int32_t count, bool shared = false) noexcept;
inline constexpr int32_t kWakeAll = 0x7fffffff;

// A constant-initialised pthread mutex with clang thread-safety annotations. libstdc++ does not annotate std::mutex, and
// tools reject unlocking a std::mutex in a fork handler.
class GS_CAPABILITY("mutex") Mutex {
public:
    constexpr Mutex() noexcept = default;
    Mutex(const Mutex &) = delete;
    Mutex &operator=(const Mutex &) = delete;

    void lock() noexcept GS_ACQUIRE() {
        pthread_mutex_lock(&native_);
        GS_COUNT_LOCK(1);
    }
    bool try_lock() noexcept GS_TRY_ACQUIRE(true) {
        const bool locked = pthread_mutex_trylock(&native_) == 0;
        GS_COUNT_LOCK(locked ? 1 : 0);
        return locked;
    }
    void unlock() noexcept GS_RELEASE() {
        GS_COUNT_LOCK(-1);
        pthread_mutex_unlock(&native_);
    }
    pthread_mutex_t *native() noexcept { return &native_; }

private:
    pthread_mutex_t native_ = PTHREAD_MUTEX_INITIALIZER;
};

// A lock for a few stores on a hot path, or one that threads rarely wait for. Taking it costs the most, since an
// atomic read-modify-write takes as long as twenty stores. A pthread mutex needs one to lock and one to unlock, this
// lock needs one in all.
//
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
    bool try_lock() noexcept GS_TRY_ACQUIRE(true) {
        const bool locked = word_.exchange(kHeld, std::memory_order_acquire) == kFree;
        GS_COUNT_LOCK(locked ? 1 : 0);
        return locked;
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

// Four bytes, two atomic operations when uncontended. Held for tens of nanoseconds by hot paths, where a pthread mutex
// would cost as much as the operation itself. Memory that held one stays readable after the object around it was
// freed (a Slab), so that a late wake of unlock() is harmless.
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

// Holds a lock for the length of a block.
template <typename Lock>
class GS_SCOPED_CAPABILITY Guard {
public:
    explicit Guard(Lock &lock) noexcept GS_ACQUIRE(lock) : lock_(lock) { lock_.lock(); }
    ~Guard() GS_RELEASE() { lock_.unlock(); }
    Guard(const Guard &) = delete;
    Guard &operator=(const Guard &) = delete;

private:
    Lock &lock_;
};
using MutexLock = Guard<Mutex>;
using BriefGuard = Guard<BriefLock>;
using TinyGuard = Guard<TinyLock>;

// A condition variable on a futex. Unlike pthread_cond_t it is constant-initialised and still counts limits by
// CLOCK_MONOTONIC, and it cannot lose a wake-up (glibc bug 25847).
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

// What a loop does between two looks at a word that another core is about to change.
inline void cpu_relax() noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

} // namespace gs
