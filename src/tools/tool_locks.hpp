// SPDX-License-Identifier: Apache-2.0
// The locks of the tools. A child that is forked before a backend starts must find them free. So a fork takes all of them,
// after those of the core (core/fork_locks.hpp). The outermost stands first here.
#pragma once

#include "base/lock.hpp"

namespace gs {

extern Mutex g_environment_mutex __attribute__((visibility("hidden"))); // the variables are being read
extern Mutex g_check_mutex __attribute__((visibility("hidden")));       // the ordering checker
extern Mutex g_trace_mutex __attribute__((visibility("hidden")));  // the trace, and names that a tool of NVTX waits for
extern Mutex g_births_mutex __attribute__((visibility("hidden"))); // who made which object
extern Mutex g_sync_sites_mutex __attribute__((visibility("hidden"))); // calls that may block
extern Mutex g_delivery_mutex __attribute__((visibility("hidden")));   // the function that gets the reports of races
extern Mutex g_texts_mutex __attribute__((visibility("hidden")));      // names of ranges and texts of marks

// Called before a thread can take one of them for the first time.
void guard_tool_locks() noexcept;

} // namespace gs
