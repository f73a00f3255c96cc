// SPDX-License-Identifier: Apache-2.0
// The locks of calls that need no device. A child that is forked before the first use must find them free, so a fork
// takes all of them, outermost first:
//
//   g_init_mutex          held through initialisation
//   g_queue_mutex         the queue of deferred calls
//   g_event_lists_mutex   the lists of dead event slots that threads share
//   event_slots().mutex()
//   g_names_mutex         names of objects
//   g_ranges_mutex        ranges that were started
//   the locks of the tools (tools/tool_locks.hpp)
//   g_stats_mutex         what was counted before the last gs_reset_stats
//   log_mutex()
#pragma once

#include "base/lock.hpp"

namespace gs {

extern Mutex g_init_mutex __attribute__((visibility("hidden")));
extern Mutex g_queue_mutex __attribute__((visibility("hidden")));
extern Mutex g_event_lists_mutex __attribute__((visibility("hidden")));
extern Mutex g_names_mutex __attribute__((visibility("hidden")));
extern Mutex g_ranges_mutex __attribute__((visibility("hidden")));
extern Mutex g_stats_mutex __attribute__((visibility("hidden")));

// Called before a thread can take one of them for the first time.
void guard_locks_in_fork() noexcept;

} // namespace gs
