// SPDX-License-Identifier: Apache-2.0
// The locks of the front: a fork takes them with those of the tools (tools/tool_locks.hpp), so that a child finds them free.
// Outermost first:
//
//   g_learning_mutex        the launch of a kernel from which the front learns
//   g_followed_mutex        what overtakes a late call
//   g_numbers_mutex         numbers of streams and of places that call
//   g_open_captures_mutex   captures that go on
//   g_callers_mutex         libraries that have called
//   g_times_mutex           events of --device-times
//   g_uses_mutex            what kernels do with memory
#pragma once

#include "base/lock.hpp"

namespace gs::front {

extern Mutex g_learning_mutex;
extern Mutex g_followed_mutex;
extern Mutex g_numbers_mutex;
extern Mutex g_open_captures_mutex;
extern Mutex g_callers_mutex;
extern Mutex g_times_mutex;
extern Mutex g_uses_mutex;

void guard_front_locks() noexcept; // once, when the library is loaded

} // namespace gs::front
