// SPDX-License-Identifier: Apache-2.0
#include "front/front_locks.hpp"

#include <initializer_list>

#include "base/fork_state.hpp"
#include "tools/tool_locks.hpp"

namespace gs::front {

Mutex g_learning_mutex;
Mutex g_followed_mutex;
Mutex g_numbers_mutex;
Mutex g_open_captures_mutex;
Mutex g_callers_mutex;
Mutex g_times_mutex;
Mutex g_uses_mutex;

void guard_front_locks() noexcept {
    guard_tool_locks();
    for (Mutex *mutex : {&g_learning_mutex, &g_followed_mutex, &g_numbers_mutex, &g_open_captures_mutex,
                         &g_callers_mutex, &g_times_mutex, &g_uses_mutex})
        register_fork_mutex(*mutex, ForkLock::BeforeStart);
}

} // namespace gs::front
