// SPDX-License-Identifier: Apache-2.0
// The order of a log without times (GPUSTREAM_LOG_TIMES=0): each entry takes the next number of the process. That is one addition, which
// the processor makes faster than it tells the time unless several threads make it at once. A thread that logs alone makes one for many
// entries.
//
// The numbers begin at the time of the log's start, and grow by less than one in a nanosecond. So entries of a trace, which have times,
// come behind those before it; when it stops, the numbers go on from its end.
#pragma once

#include <atomic>
#include <cstdint>

#include "tools/recorder/log_alone.hpp"

namespace gs::recorder {

struct alignas(64) LogTurns { // alone in its line: every thread that logs writes it
    std::atomic<uint64_t> next{0};
};
extern LogTurns g_log_turns __attribute__((visibility("hidden")));

// What one thread did before another went on has the smaller number: the additions to one word are in one order, which includes that.
inline uint64_t next_log_turn() noexcept { return g_log_turns.next.fetch_add(1, std::memory_order_relaxed); }

// Numbers that a thread has taken at once, for as long as it logs alone: the first number of another thread is larger. Only its thread.
class LogTurnBlock {
public:
    // False: none is left that is above the thread's last one.
    [[gnu::always_inline]] bool take(uint64_t last, uint64_t *out) noexcept {
        *out = next_;
        if (next_ >= end_ || next_ <= last) return false;
        ++next_;
        return true;
    }
    uint64_t refill(uint32_t thread) noexcept {
        note_who_logs(thread);
        if (!logs_alone(thread)) return next_log_turn();
        next_ = g_log_turns.next.fetch_add(kAtOnce, std::memory_order_relaxed);
        end_ = next_ + kAtOnce;
        return next_++;
    }

private:
    static constexpr uint64_t kAtOnce = 64;
    uint64_t next_ = 0, end_ = 0;
};
void catch_up_log_turns() noexcept; // with the clock of the log

} // namespace gs::recorder
