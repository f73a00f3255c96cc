// SPDX-License-Identifier: Apache-2.0
#include "base/fork_state.hpp"

#include <pthread.h>

#include "base/thread_block.hpp"

namespace gs {

std::atomic<bool> g_bad_fork{false};

namespace {

constexpr int kMaxMutexes = 16;

std::atomic<int> g_armed{0}; // backends started or starting
std::atomic<bool> g_installed{false};
Mutex g_install_mutex;
// Appended to only; the handlers read a count that is published after its entry.
std::atomic<Mutex *> g_mutexes[kMaxMutexes];
std::atomic<int> g_mutex_count{0};
// Written by prepare and read by parent and child on the forking thread; concurrent forks are serialised by the
// first lock, the thread list's.
int g_locked = 0;

// Once a backend runs, the child may not use the library at all, and the parent's threads may hold a lock for long:
// nothing is locked then.
void before_fork() {
    if (g_armed.load(std::memory_order_acquire) > 0) return;
    thread_list_mutex().lock();
    const int count = g_mutex_count.load(std::memory_order_acquire);
    for (int i = 0; i < count; ++i) g_mutexes[i].load(std::memory_order_relaxed)->lock();
    g_locked = count + 1;
}

void unlock_all() {
    const int locked = g_locked;
    if (locked == 0) return;
    g_locked = 0;
    for (int i = locked - 2; i >= 0; --i) g_mutexes[i].load(std::memory_order_relaxed)->unlock();
    thread_list_mutex().unlock();
}

void after_fork_in_parent() { unlock_all(); }

void after_fork_in_child() {
    if (g_armed.load(std::memory_order_relaxed) > 0) g_bad_fork.store(true, std::memory_order_relaxed);
    reset_thread_blocks_after_fork();
    unlock_all();
}

} // namespace

bool install_fork_handlers() noexcept {
    if (g_installed.load(std::memory_order_acquire)) return true;
    MutexLock lock(g_install_mutex);
    if (g_installed.load(std::memory_order_relaxed)) return true;
    if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) return false;
    g_installed.store(true, std::memory_order_release);
    return true;
}

void arm_bad_fork() noexcept { g_armed.fetch_add(1, std::memory_order_acq_rel); }

void disarm_bad_fork() noexcept { g_armed.fetch_sub(1, std::memory_order_acq_rel); }

void register_fork_mutex(Mutex &mutex) noexcept {
    MutexLock lock(g_install_mutex);
    const int count = g_mutex_count.load(std::memory_order_relaxed);
    for (int i = 0; i < count; ++i)
        if (g_mutexes[i].load(std::memory_order_relaxed) == &mutex) return;
    if (count == kMaxMutexes) return;
    g_mutexes[count].store(&mutex, std::memory_order_relaxed);
    g_mutex_count.store(count + 1, std::memory_order_release);
}

} // namespace gs
