// SPDX-License-Identifier: Apache-2.0
// The locks of the tools. A child that is forked before a backend starts must find them free, so a fork takes all of them,
// after those of the core (core/fork_locks.hpp), outermost first:
//
//   g_environment_mutex   the variables are being read
//   g_check_mutex         the ordering checker
//   g_trace_mutex         the trace, and names that a tool of NVTX waits for
//   g_births_mutex        who made which object
//   g_sync_sites_mutex    calls that may block
//   g_delivery_mutex      the function that gets the reports of races
//   g_texts_mutex         names of ranges and texts of marks
#pragma once

#include "base/lock.hpp"

namespace gs {

extern Mutex g_environment_mutex __attribute__((visibility("hidden")));
extern Mutex g_check_mutex __attribute__((visibility("hidden")));
extern Mutex g_trace_mutex __attribute__((visibility("hidden")));
extern Mutex g_births_mutex __attribute__((visibility("hidden")));
extern Mutex g_sync_sites_mutex __attribute__((visibility("hidden")));
extern Mutex g_delivery_mutex __attribute__((visibility("hidden")));
extern Mutex g_texts_mutex __attribute__((visibility("hidden")));

// Called before a thread can take one of them for the first time.
void guard_tool_locks() noexcept;

} // namespace gs
