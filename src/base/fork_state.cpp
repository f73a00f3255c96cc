// SPDX-License-Identifier: Apache-2.0
#include "base/fork_state.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <new>

#include "base/testing.hpp"

namespace gs {

std::atomic<uint32_t> g_rare_state{kRareAtStart};
std::atomic<HeapListener> g_heap_listener{nullptr};

namespace {

constexpr int kMaxMutexes = 24;

struct Guarded {
    Mutex *mutex;
    ForkLock when;
};

std::atomic<int> g_armed{0}; // backends started or starting, and CUDA in use by another library
std::atomic<bool> g_installed{false};
std::atomic<pid_t> g_prepared_process{0}; // the handlers are installed, and have run in it if it was forked since
Mutex g_fork_mutex; // one fork at a time; a lock cannot be added to the list between prepare and the fork
std::atomic<pthread_t> g_forking{};        // the thread that holds g_fork_mutex for a fork
std::atomic<Mutex *> g_outermost{nullptr}; // under it, functions add locks to the list: taken before g_fork_mutex
std::atomic<Mutex *> g_innermost{nullptr}; // threads attach while they hold other locks: taken last
Mutex *g_held_outermost GS_GUARDED_BY(g_fork_mutex) = nullptr;
int g_depth GS_GUARDED_BY(g_fork_mutex) = 0; // the handlers may have been installed more than once
Guarded g_guarded[kMaxMutexes] GS_GUARDED_BY(g_fork_mutex);
int g_guarded_count GS_GUARDED_BY(g_fork_mutex) = 0;
const ForkLocks *g_object_locks GS_GUARDED_BY(g_fork_mutex) = nullptr;
bool g_locked_all GS_GUARDED_BY(g_fork_mutex) = false;
bool g_several_threads GS_GUARDED_BY(g_fork_mutex) = false;
std::atomic<bool> g_parent_had_threads{false}; // or its parent

constexpr int kMaxHooks = 4;
std::atomic<void (*)() noexcept> g_child_hooks[kMaxHooks]{};

// Once a backend runs, the child may not use the library, and threads of the parent may hold most locks for long.
// Then the fork takes only the locks that are held for a few stores and that calls without a device need.
bool concerned(const Guarded &guarded) noexcept GS_UNANALYSED {
    return g_locked_all || guarded.when == ForkLock::Always;
}

void lock_guarded(ForkLock when) noexcept GS_UNANALYSED {
    for (int i = 0; i < g_guarded_count; ++i)
        if (g_guarded[i].when == when && concerned(g_guarded[i])) g_guarded[i].mutex->lock();
}

void unlock_guarded(ForkLock when) noexcept GS_UNANALYSED {
    for (int i = g_guarded_count - 1; i >= 0; --i)
        if (g_guarded[i].when == when && concerned(g_guarded[i])) g_guarded[i].mutex->unlock();
}

bool several_threads() noexcept {
    const int saved = errno;
    struct stat tasks{};
    // A folder has a link to itself, one from its parent, and one from each folder in it.
    const bool several = stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink > 3;
    errno = saved;
    return several;
}

// The handlers did not run for the fork that made this process: it began before they were installed, or was a
// _Fork(). The locks are in the state that the parent's threads gave them.
bool forked_unprepared() noexcept {
    return g_installed.load(std::memory_order_acquire) &&
           g_prepared_process.load(std::memory_order_acquire) != getpid();
}

void make_free(Mutex &mutex) noexcept { ::new (static_cast<void *>(&mutex)) Mutex; }

// In a bad fork: frees the locks that its calls and its own forks take. A few stores change what they guard.
void free_locks_of_parent() noexcept GS_UNANALYSED {
    // The handlers did run and give the locks back in a moment: this call is made in another library's handler, which
    // runs before them.
    if (g_forking.load(std::memory_order_relaxed) == pthread_self()) return;
    make_free(g_fork_mutex);
    g_forking.store(pthread_t{}, std::memory_order_relaxed);
    g_depth = 0;
    for (int i = 0; i < g_guarded_count; ++i)
        if (g_guarded[i].mutex && g_guarded[i].when == ForkLock::Always) make_free(*g_guarded[i].mutex);
    make_free(*g_innermost.load(std::memory_order_relaxed));
}

void pause_shortly() noexcept {
    const int saved = errno;
    const timespec duration{0, 20'000};
    nanosleep(&duration, nullptr);
    errno = saved;
}

// Takes g_fork_mutex, and before it the outermost lock if all are to be taken. A thread that holds the outermost lock
// for long has armed, and the fork does not wait for it. That thread runs code of a driver or of the program, which
// may register fork handlers of its own. With some C libraries (musl, glibc before 2.36) the registration waits for
// the end of this fork.
void lock_list() noexcept GS_UNANALYSED {
    for (;;) {
        const bool all = g_armed.load(std::memory_order_acquire) == 0 && !in_bad_fork();
        Mutex *outermost = all ? g_outermost.load(std::memory_order_acquire) : nullptr;
        if (outermost && !outermost->try_lock()) {
            pause_shortly();
            continue;
        }
        g_fork_mutex.lock();
        g_locked_all = all;
        g_held_outermost = outermost;
        if (!all || outermost == g_outermost.load(std::memory_order_relaxed)) return;
        g_fork_mutex.unlock(); // another thread found it out in between
    }
}

void before_fork() GS_UNANALYSED {
    notice_unprepared_fork();
    if (g_forking.load(std::memory_order_relaxed) != pthread_self()) {
        lock_list();
        g_forking.store(pthread_self(), std::memory_order_relaxed);
    }
    if (g_depth++ > 0) return;
    g_several_threads = several_threads();
    lock_guarded(ForkLock::BeforeStart);
    if (g_locked_all && g_object_locks) g_object_locks->take();
    lock_guarded(ForkLock::Always);
    if (g_locked_all) g_innermost.load(std::memory_order_relaxed)->lock();
}

void unlock_all(bool in_child) GS_UNANALYSED {
    if (--g_depth > 0) return;
    if (g_locked_all) g_innermost.load(std::memory_order_relaxed)->unlock();
    unlock_guarded(ForkLock::Always);
    if (g_locked_all && g_object_locks) g_object_locks->give(in_child);
    unlock_guarded(ForkLock::BeforeStart);
    g_forking.store(pthread_t{}, std::memory_order_relaxed);
    Mutex *outermost = g_held_outermost;
    g_fork_mutex.unlock();
    if (outermost) outermost->unlock();
}

void after_fork_in_parent() { unlock_all(false); }

void after_fork_in_child() GS_UNANALYSED {
    g_prepared_process.store(getpid(), std::memory_order_relaxed);
    if (g_several_threads) g_parent_had_threads.store(true, std::memory_order_relaxed);
    // Not all were taken: a start was in progress, which holds some of the others. The start may have failed since.
    if (!g_locked_all || g_armed.load(std::memory_order_relaxed) > 0)
        g_rare_state.fetch_or(kRareBadFork, std::memory_order_relaxed);
    for (auto &hook : g_child_hooks)
        if (auto *run = hook.load(std::memory_order_relaxed)) run();
    unlock_all(true);
}

} // namespace

// Takes no lock of ours: a fork on another thread before the handlers are installed would leave the lock held in the
// child.
// Two threads may both install the handlers, which does no harm. (In the C library no fork begins or ends during
// pthread_atfork.)
bool install_fork_handlers(Mutex &innermost) noexcept {
    if (g_installed.load(std::memory_order_acquire)) return true;
    g_prepared_process.store(getpid(), std::memory_order_relaxed);
    g_innermost.store(&innermost, std::memory_order_relaxed); // pthread_atfork publishes it to the handlers
    // one-sided: fails only without memory at the start
    if (pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child) != 0) return false;
    g_installed.store(true, std::memory_order_release);
    return true;
}

void arm_bad_fork() noexcept { g_armed.fetch_add(1, std::memory_order_acq_rel); }

void disarm_bad_fork() noexcept { g_armed.fetch_sub(1, std::memory_order_acq_rel); }

bool may_load_libraries() noexcept { return !in_bad_fork() || !g_parent_had_threads.load(std::memory_order_relaxed); }

// Two threads of the child may be here; the second one waits. A negative number says that the first one is at work.
void notice_unprepared_fork() noexcept {
    while (forked_unprepared()) {
        const pid_t self = getpid();
        pid_t seen = g_prepared_process.load(std::memory_order_relaxed);
        if (seen == -self || !g_prepared_process.compare_exchange_strong(seen, -self, std::memory_order_relaxed)) {
            sched_yield();
            continue;
        }
        enter_bad_fork();
        g_parent_had_threads.store(true, std::memory_order_relaxed);
        free_locks_of_parent();
        g_prepared_process.store(self, std::memory_order_release);
    }
}

void enter_bad_fork() noexcept { g_rare_state.fetch_or(kRareBadFork, std::memory_order_relaxed); }

void register_fork_mutex(Mutex &mutex, ForkLock when) noexcept {
    MutexLock lock(g_fork_mutex);
    for (int i = 0; i < g_guarded_count; ++i)
        if (g_guarded[i].mutex == &mutex) return;
    GS_CHECK(g_guarded_count < kMaxMutexes);
    // one-sided: the table has room for all
    if (g_guarded_count < kMaxMutexes) g_guarded[g_guarded_count++] = {&mutex, when};
}

void register_outermost_fork_mutex(Mutex &mutex) noexcept {
    MutexLock lock(g_fork_mutex);
    g_outermost.store(&mutex, std::memory_order_release);
}

void register_fork_locks(const ForkLocks &locks) noexcept {
    MutexLock lock(g_fork_mutex);
    g_object_locks = &locks;
}

void register_fork_child_hook(void (*hook)() noexcept) noexcept {
    for (auto &place : g_child_hooks) {
        void (*found)() noexcept = nullptr;
        if (place.compare_exchange_strong(found, hook, std::memory_order_acq_rel) || found == hook) return;
    }
    GS_CHECK(false); // more hooks than places
}

} // namespace gs
