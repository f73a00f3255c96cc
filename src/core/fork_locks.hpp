// SPDX-License-Identifier: Apache-2.0
// The locks of calls that need no device. A child that is forked before the first use must find them free, so a fork
// takes all of them. The outermost stands first here.
#pragma once

#include "base/lock.hpp"

namespace gs {

extern Mutex g_init_mutex __attribute__((visibility("hidden")));  // held through initialisation
extern Mutex g_queue_mutex __attribute__((visibility("hidden"))); // the queue of deferred calls
// Dead event slots that threads share. Behind it comes event_slots().mutex().
extern Mutex g_event_lists_mutex __attribute__((visibility("hidden")));
extern Mutex g_names_mutex __attribute__((visibility("hidden"))); // names of objects
// Ranges that were started. Behind it come the locks of the tools (tools/tool_locks.hpp).
extern Mutex g_ranges_mutex __attribute__((visibility("hidden")));
// What was counted before the last gs_reset_stats. Behind it comes log_mutex().
extern Mutex g_stats_mutex __attribute__((visibility("hidden")));

// Called before a thread can take one of them for the first time.
void guard_locks_in_fork() noexcept;

} // namespace gs
