// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/log_alone.hpp"

namespace gs::recorder {

LogAlone g_log_alone;

void note_who_logs(uint32_t thread) noexcept {
    uint32_t present = g_log_alone.thread.load(std::memory_order_relaxed);
    if (present == kSeveralLog || present == thread) return;
    if (present == kNobodyLogs && thread != kWithoutBlock &&
        g_log_alone.thread.compare_exchange_strong(present, thread, std::memory_order_relaxed))
        return;
    if (present != thread) g_log_alone.thread.store(kSeveralLog, std::memory_order_relaxed);
}

} // namespace gs::recorder
