// SPDX-License-Identifier: Apache-2.0
// How a thread waits for driver events that no other code records: sleeping, spinning or both, with a limit.
#pragma once

#include <cstddef>

#include "base/clock.hpp"
#include "base/thread_block.hpp"
#include "core/completion/pace.hpp"
#include "core/slots.hpp"

namespace gs {

// How a thread passes the time between two questions: sleeping, spinning or both, with a limit.

struct Limit {
    int64_t timeout_ns; // negative: none
    int32_t mode;       // GS_WAIT_*, but GS_WAIT_DRIVER counts as GS_WAIT_ADAPTIVE
};

// The kernel may delay a thread's timers by its slack, 50 us by default, which is longer than most naps.
class ExactTimers {
public:
    ExactTimers() noexcept = default;
    ~ExactTimers();
    ExactTimers(const ExactTimers &) = delete;
    ExactTimers &operator=(const ExactTimers &) = delete;

    void use() noexcept;

private:
    int before_ = 0;
};

class Waiter {
public:
    Waiter(ThreadBlock &thread, Limit limit) noexcept : thread_(thread), limit_(limit) {}

    // Between two questions. False: the time is over. told: the thread's signal changes when one of the events is complete.
    bool pass(const Learner::Window &window, bool told, uint32_t signal) noexcept;
    // The same where there is nothing to ask: sleeps in every mode, until the signal changes.
    static constexpr uint64_t kLongestRestNs = 20'000'000; // a device that fails completes nothing
    bool rest(uint32_t signal, uint64_t longest_ns = kLongestRestNs) noexcept;
    uint64_t elapsed_ns() const noexcept { return monotonic_ns() - begin_ns_; }

private:
    bool is_over(uint64_t elapsed) const noexcept {
        return limit_.timeout_ns >= 0 && elapsed >= static_cast<uint64_t>(limit_.timeout_ns);
    }
    bool spins(const Learner::Window &window, uint64_t elapsed) noexcept;
    void nap(uint64_t elapsed) noexcept;
    void sleep(uint64_t elapsed, uint64_t ns, uint32_t signal) noexcept;

    ThreadBlock &thread_;
    const Limit limit_;
    const uint64_t begin_ns_ = monotonic_ns();
    uint64_t asked_ns_ = 0; // when the last pass ended
    bool spun_last_ = false;
    uint64_t spun_ns_ = 0;
    uint64_t sleep_ns_ = 0;
    ExactTimers timers_;
};

// Waiting on the calling thread for driver events that no other code records: sleeping, spinning or both, with a limit.

struct Awaited {
    Device *device = nullptr;
    uintptr_t event = 0; // 0: complete
};

// TIMEOUT without a text. The first failure ends the wait.
Status await_all(ThreadBlock &thread, const Awaited *list, size_t count, Limit limit) noexcept;
// *out_index: the first one that is complete or failed.
Status await_any(ThreadBlock &thread, const Awaited *list, size_t count, Limit limit, size_t *out_index) noexcept;

} // namespace gs
