// SPDX-License-Identifier: Apache-2.0
// Fork detection. In the child, the handlers only store flags and release the locks that the parent took for the fork.
#pragma once

#include <atomic>

#include "base/lock.hpp"
#include "base/rare_state.hpp"

namespace gs {

// True in a forked child of a process that had started a backend, or in which another library was seen to use CUDA.
inline bool in_bad_fork() noexcept { return (g_rare_state.load(std::memory_order_relaxed) & kRareBadFork) != 0; }

// Installs the fork handlers. innermost: the lock that is taken last, always the same one. Returns false when the system
// refuses. Called by guard_threads_in_fork (thread_block.hpp).
bool install_fork_handlers(Mutex &innermost) noexcept;
// After arm_bad_fork, a forked child is a bad fork. Called before a backend starts, with the outermost lock held as
// soon as it is taken; disarmed again if the start fails. Also called when another library is seen to use CUDA.
void arm_bad_fork() noexcept;
void disarm_bad_fork() noexcept;
// If the handlers did not run for the fork that made this process: makes it a bad fork and frees the locks that its
// calls take. Called before a thread that has made no call yet takes a lock.
void notice_unprepared_fork() noexcept;
// This process is a bad fork: the driver reports that it was initialised before the fork.
void enter_bad_fork() noexcept;

// False in a bad fork of a process with several threads. One of them may have been inside the dynamic loader, and the
// child has the loader's state of that moment. A child of a process that had started nothing may load libraries,
// since it must do so to start.
bool may_load_libraries() noexcept;

// Locks that must be free in a forked child. They are locked in the order of their registration, those for BeforeStart
// first.
enum class ForkLock {
    BeforeStart, // in the child of a process that has not started a backend
    Always,      // in every child; such a lock is only held for a few stores
};
void register_fork_mutex(Mutex &mutex, ForkLock when) noexcept;

// The lock that is taken before all others, for BeforeStart. While a thread holds it, functions of the application
// may run and make calls that register locks. A fork that waits for this lock while it holds the list's own lock
// would never get it.
void register_outermost_fork_mutex(Mutex &mutex) noexcept;

// The locks of objects, of which there may be any number, for forks of a process that has not started a backend. They
// are taken between the mutexes for BeforeStart and those for Always. Both functions run inside fork().
struct ForkLocks {
    void (*take)() noexcept;
    void (*give)(bool in_child) noexcept;
};
// At most one set. The caller holds none of these locks.
void register_fork_locks(const ForkLocks &locks) noexcept;

// Runs hook in every forked child, on its only thread, inside fork(). A hook does a few stores, and takes no lock and
// no memory. At most 4 hooks; registering one twice has no effect.
void register_fork_child_hook(void (*hook)() noexcept) noexcept;

} // namespace gs
