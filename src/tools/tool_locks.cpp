// SPDX-License-Identifier: Apache-2.0
#include "tools/tool_locks.hpp"

#include <atomic>
#include <initializer_list>

#include "base/fork_state.hpp"
#include "core/fork_locks.hpp"

namespace gs {

Mutex g_environment_mutex;
Mutex g_check_mutex;
Mutex g_trace_mutex;
Mutex g_births_mutex;
Mutex g_sync_sites_mutex;
Mutex g_delivery_mutex;
Mutex g_texts_mutex;

void guard_tool_locks() noexcept {
    static std::atomic<bool> done{false}; // what is registered is whole, as in model first_record_is_seen_whole
    if (done.load(std::memory_order_acquire)) return;
    guard_locks_in_fork();
    // Two threads may both register: the second one changes nothing.
    for (Mutex *mutex : {&g_environment_mutex, &g_check_mutex, &g_trace_mutex, &g_births_mutex, &g_sync_sites_mutex,
                         &g_delivery_mutex, &g_texts_mutex})
        register_fork_mutex(*mutex, ForkLock::BeforeStart);
    done.store(true, std::memory_order_release); // as in model first_record_is_seen_whole
}

} // namespace gs
