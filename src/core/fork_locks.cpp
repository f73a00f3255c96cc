// SPDX-License-Identifier: Apache-2.0
#include "core/fork_locks.hpp"

#include <atomic>
#include <initializer_list>

#include "base/fork_state.hpp"
#include "base/log.hpp"
#include "core/slots.hpp"

namespace gs {

Mutex g_init_mutex;
Mutex g_queue_mutex;
Mutex g_event_lists_mutex;
Mutex g_names_mutex;
Mutex g_ranges_mutex;
Mutex g_stats_mutex;

void guard_locks_in_fork() noexcept {
    static std::atomic<bool> done{false};
    if (done.load(std::memory_order_acquire)) return;
    // Two threads may both register: the second one changes nothing.
    register_outermost_fork_mutex(g_init_mutex);
    for (Mutex *mutex : {&g_queue_mutex, &g_event_lists_mutex, &event_slots().mutex(), &g_names_mutex, &g_ranges_mutex})
        register_fork_mutex(*mutex, ForkLock::BeforeStart);
    for (Mutex *mutex : {&g_stats_mutex, &log_mutex()}) register_fork_mutex(*mutex, ForkLock::Always);
    done.store(true, std::memory_order_release);
}

} // namespace gs
