// SPDX-License-Identifier: Apache-2.0
// The locks of the front: a fork takes them with those of the tools (tools/tool_locks.hpp), so that a child finds them free.
// The outermost stands first here.
#pragma once

#include "base/lock.hpp"

namespace gs::front {

extern Mutex g_learning_mutex;      // the launch of a kernel from which the front learns
extern Mutex g_followed_mutex;      // what overtakes a late call
extern Mutex g_numbers_mutex;       // numbers of streams and of places that call
extern Mutex g_open_captures_mutex; // captures that go on
extern Mutex g_callers_mutex;       // libraries that have called
extern Mutex g_times_mutex;         // events of --device-times
extern Mutex g_uses_mutex;          // what kernels do with memory

void guard_front_locks() noexcept; // once, when the library is loaded

} // namespace gs::front
