// SPDX-License-Identifier: Apache-2.0
// Fork detection. The child handler only stores a flag, so it is async-signal-safe and needs no lock.
#pragma once

#include <atomic>

#include "base/mutex.hpp"

namespace gs {

extern std::atomic<bool> g_bad_fork __attribute__((visibility("hidden")));

// True in a forked child of a process in which a backend had been started, or CUDA was seen in use.
inline bool in_bad_fork() noexcept { return __builtin_expect(g_bad_fork.load(std::memory_order_relaxed), 0); }

// Installs the fork handlers; called once, when the first thread attaches. False when the system refused.
bool install_fork_handlers() noexcept;
// From now on a forked child is a bad fork. Called right before a backend starts, where a start that failed is taken
// back, and for good where another library is seen to use CUDA.
void arm_bad_fork() noexcept;
void disarm_bad_fork() noexcept;
// This process turns out to be a bad fork: the driver says that it was initialised before the fork, by whomever.
void enter_bad_fork() noexcept;

// Locks that must be free in a forked child. Order of registration = order of locking.
enum class ForkLock {
    BeforeStart, // in a child of a library that has not started yet
    Always,      // in every child; held for a few stores only
};
void register_fork_mutex(Mutex &mutex, ForkLock when) noexcept;

// Runs in every forked child, on its only thread, inside fork(): a few stores, no lock, no allocation. At most 4; the same
// one again is no other.
void register_fork_child_hook(void (*hook)() noexcept) noexcept;

} // namespace gs
