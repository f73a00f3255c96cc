// SPDX-License-Identifier: Apache-2.0
// The locks of calls that need no device. A child that is forked before the first use must find them free, so a fork
// takes all of them, outermost first:
//
//   g_init_mutex          held through initialisation
//   g_queue_mutex         the queue of deferred calls
//   g_event_lists_mutex   the lists of dead event slots that threads share
//   event_slots().mutex()
//   g_names_mutex         names of objects
//   g_check_mutex         the ordering checker
//   g_trace_mutex         ranges, and the trace
//   g_births_mutex        who made which object
//   g_sync_sites_mutex    calls that may block
//   g_delivery_mutex      the function that gets the reports of races
//   g_stats_mutex         what was counted before the last gs_reset_stats
//   log_mutex()
#pragma once

#include "base/mutex.hpp"

namespace gs {

extern Mutex g_init_mutex __attribute__((visibility("hidden")));
extern Mutex g_queue_mutex __attribute__((visibility("hidden")));
extern Mutex g_event_lists_mutex __attribute__((visibility("hidden")));
extern Mutex g_names_mutex __attribute__((visibility("hidden")));
extern Mutex g_check_mutex __attribute__((visibility("hidden")));
extern Mutex g_trace_mutex __attribute__((visibility("hidden")));
extern Mutex g_births_mutex __attribute__((visibility("hidden")));
extern Mutex g_sync_sites_mutex __attribute__((visibility("hidden")));
extern Mutex g_delivery_mutex __attribute__((visibility("hidden")));
extern Mutex g_stats_mutex __attribute__((visibility("hidden")));

// Called before a thread can take one of them for the first time.
void guard_locks_in_fork() noexcept;

} // namespace gs
