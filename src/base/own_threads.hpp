// SPDX-License-Identifier: Apache-2.0
// Which threads of the process are the library's own.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace gs {

// An entry of the list. It lives as long as the process, since other threads may walk the list at any time.
struct OwnThread {
    std::atomic<pid_t> id{0}; // 0: ended
    OwnThread *next = nullptr;
};

// Called on the thread, when it begins and when it ends.
void enter_own_thread(OwnThread &thread) noexcept;
void leave_own_thread(OwnThread &thread) noexcept;

// How many of them run. A new thread counts a moment after its start.
uint32_t running_threads() noexcept;
// Returns true on one of them.
bool is_library_thread() noexcept;

} // namespace gs
