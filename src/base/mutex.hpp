// SPDX-License-Identifier: Apache-2.0
// A constant-initialised pthread mutex with clang thread-safety annotations. libstdc++ does not annotate std::mutex, and
// tools reject unlocking a std::mutex in a fork handler.
#pragma once

#include <pthread.h>

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

class GS_SCOPED_CAPABILITY MutexLock {
public:
    explicit MutexLock(Mutex &mutex) noexcept GS_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
    ~MutexLock() GS_RELEASE() { mutex_.unlock(); }
    MutexLock(const MutexLock &) = delete;
    MutexLock &operator=(const MutexLock &) = delete;

private:
    Mutex &mutex_;
};

} // namespace gs
