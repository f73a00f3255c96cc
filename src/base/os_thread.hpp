// SPDX-License-Identifier: Apache-2.0
// Starts the library's own threads: detached, with all signals blocked. A failed start is a status.
#pragma once

#include "base/status.hpp"

namespace gs {

// name: at most 15 characters, shown by ps and gdb. entry may run as long as the process. If it returns, destructors
// of thread-local objects must not call a driver.
Status start_thread(const char *name, void (*entry)(void *), void *arg) noexcept;

} // namespace gs
