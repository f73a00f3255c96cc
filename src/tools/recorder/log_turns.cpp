// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/log_turns.hpp"

#include "tools/recorder/log_clock.hpp"

namespace gs::recorder {

LogTurns g_log_turns;

void catch_up_log_turns() noexcept {
    const uint64_t now = log_clock_ns();
    uint64_t next = g_log_turns.next.load(std::memory_order_relaxed);
    while (next < now && !g_log_turns.next.compare_exchange_weak(next, now, std::memory_order_relaxed)) {}
}

} // namespace gs::recorder
