// SPDX-License-Identifier: Apache-2.0
#include "base/futex.hpp"

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

} // namespace gs
