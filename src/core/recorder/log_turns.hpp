// SPDX-License-Identifier: Apache-2.0
// The order of a log without times (GPUSTREAM_LOG_TIMES=0): each entry takes the next number of the process. That is one addition, which
// the processor makes faster than it tells the time unless several threads make it at once.
//
// The numbers begin at the time of the log's start, and grow by less than one in a nanosecond. So entries of a trace, which have times,
// come behind those before it; when it stops, the numbers go on from its end.
#pragma once

#include <atomic>
#include <cstdint>

namespace gs::recorder {

struct alignas(64) LogTurns { // alone in its line: every thread that logs writes it
    std::atomic<uint64_t> next{0};
};
extern LogTurns g_log_turns __attribute__((visibility("hidden")));

// What one thread did before another went on has the smaller number: the additions to one word are in one order, which includes that.
inline uint64_t next_log_turn() noexcept { return g_log_turns.next.fetch_add(1, std::memory_order_relaxed); }
void catch_up_log_turns() noexcept; // with the clock of the log

} // namespace gs::recorder
