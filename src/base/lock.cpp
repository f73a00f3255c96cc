// SPDX-License-Identifier: Apache-2.0
#include "base/lock.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace gs {
namespace {

void *address_of(const std::atomic<uint32_t> &word) noexcept {
    static_assert(sizeof(std::atomic<uint32_t>) == 4 && std::atomic<uint32_t>::is_always_lock_free);
    return const_cast<std::atomic<uint32_t> *>(&word);
}

// Waits and wakes also happen inside destroy paths and error paths: errno stays the caller's.
class KeepErrno {
public:
    KeepErrno() noexcept : saved_(errno) {}
    ~KeepErrno() { errno = saved_; }
    KeepErrno(const KeepErrno &) = delete;
    KeepErrno &operator=(const KeepErrno &) = delete;

private:
    int saved_;
};

} // namespace

void futex_wait(const std::atomic<uint32_t> &word, uint32_t expected, uint64_t timeout_ns, bool shared) noexcept {
    KeepErrno keep;
    timespec limit{};
    limit.tv_sec = static_cast<time_t>(timeout_ns / 1000000000u);
    limit.tv_nsec = static_cast<long>(timeout_ns % 1000000000u);
    syscall(SYS_futex, address_of(word), shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, expected,
            timeout_ns != 0 ? &limit : nullptr, nullptr, 0);
}

void futex_wake(const std::atomic<uint32_t> &word, int32_t count, bool shared) noexcept {
    KeepErrno keep;
    syscall(SYS_futex, address_of(word), shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

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

void TinyLock::lock_slow() noexcept {
    for (int i = 0; i < kSpins; ++i) {
        uint32_t expected = kFree;
        if (word_.load(std::memory_order_relaxed) == kFree &&
            word_.compare_exchange_weak(expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed))
            return;
        cpu_relax();
    }
    while (word_.exchange(kContended, std::memory_order_acquire) != kFree) futex_wait(word_, kContended);
}

void Condition::sleep(uint32_t turn, uint64_t timeout_ns) noexcept { futex_wait(turn_, turn, timeout_ns); }

void Condition::wake() noexcept { futex_wake(turn_, kWakeAll); }

} // namespace gs
