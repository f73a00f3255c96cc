// SPDX-License-Identifier: Apache-2.0
// Starts the library's own threads: detached, with all signals blocked. A failed start is a status.
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace gs {

// name: at most 15 characters, shown by ps and gdb. entry may run for the life of the process. If it returns, no
// thread-local destructor may call a driver.
Status start_thread(const char *name, void (*entry)(void *), void *arg) noexcept;

// How many threads started by start_thread run. A new thread counts a moment after its start.
uint32_t running_threads() noexcept;
// Returns true on a thread started by start_thread.
bool is_library_thread() noexcept;

} // namespace gs
