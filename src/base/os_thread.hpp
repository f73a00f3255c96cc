// SPDX-License-Identifier: Apache-2.0
// Threads of the library: detached, all signals blocked, a failed start is a status.
#pragma once

#include "base/status.hpp"

namespace gs {

// name: at most 15 characters, shown by ps and gdb. The entry must never return into a thread-local destructor chain
// that calls a driver; it may run for the life of the process.
Status start_thread(const char *name, void (*entry)(void *), void *arg) noexcept;

} // namespace gs
