// SPDX-License-Identifier: Apache-2.0
#include "core/stats.hpp"

#include "base/sized_struct.hpp"
#include "base/thread_block.hpp"
#include "core/fork_locks.hpp"

namespace gs {
namespace {

gs_stats_t g_zero GS_GUARDED_BY(g_stats_mutex){}; // what was counted before the last reset

gs_stats_t sum() noexcept {
    gs_stats_t total{};
    for (const ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next) {
#define GS_X(name) total.name += thread->counters.name.get();
        GS_COUNTERS(GS_X)
#undef GS_X
    }
    return total;
}

} // namespace

Status read_stats(gs_stats_t *out) noexcept {
    gs_stats_t total = sum();
    guard_locks_in_fork();
    {
        MutexLock lock(g_stats_mutex);
#define GS_X(name) total.name -= g_zero.name;
        GS_COUNTERS(GS_X)
#undef GS_X
    }
    return write_sized(out, total);
}

void reset_stats() noexcept {
    guard_locks_in_fork();
    MutexLock lock(g_stats_mutex);
    g_zero = sum();
}

} // namespace gs
