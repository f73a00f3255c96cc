// SPDX-License-Identifier: Apache-2.0
#include "base/thread_block.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

#include "base/fork_state.hpp"
#include "base/lock.hpp"

namespace gs {

__thread ThreadBlock *t_block = nullptr;

#if defined(GPUSTREAM_TESTING)
namespace testing {
namespace {
__thread int t_locks = 0;
} // namespace
void count_lock(int more) noexcept { t_locks += more; }
int locks_held() noexcept { return t_locks; }
} // namespace testing
#endif

namespace {

using ExitHook = void (*)(ThreadBlock &);
constexpr int kMaxExitHooks = 8;

Mutex g_thread_block_mutex;
bool g_key_made GS_GUARDED_BY(g_thread_block_mutex) = false;
pthread_key_t g_key;
uint32_t g_next_id GS_GUARDED_BY(g_thread_block_mutex) = 1;
uint64_t g_next_serial GS_GUARDED_BY(g_thread_block_mutex) = 1;
ThreadBlock *g_tail GS_GUARDED_BY(g_thread_block_mutex) = nullptr;
std::atomic<ThreadBlock *> g_head{nullptr};
std::atomic<bool> g_attach_failed{false};
std::atomic<int32_t> g_attached{0};
std::atomic<MainThreadCall> g_main_call{MainThreadCall::None};
std::atomic<bool> g_main_mask_known{false};
std::atomic<uint64_t> g_main_mask{0};
std::atomic<ExitHook> g_exit_hooks[kMaxExitHooks];
std::atomic<int> g_exit_hook_count{0};

// The first time only: later destructors of the main thread may have blocked signals by then.
void keep_main_mask() noexcept {
    if (g_main_mask_known.load(std::memory_order_relaxed)) return;
    sigset_t now;
    sigemptyset(&now);
    pthread_sigmask(SIG_BLOCK, nullptr, &now);
    uint64_t mask = 0;
    for (int signal = 1; signal <= 64; ++signal)
        if (sigismember(&now, signal) == 1) mask |= uint64_t{1} << (signal - 1);
    g_main_mask.store(mask, std::memory_order_relaxed);
    g_main_mask_known.store(true, std::memory_order_relaxed);
}

// Other thread-specific data may still be alive here. If its destructor calls the library, the thread attaches again and
// POSIX runs this destructor once more.
void on_thread_exit(void *value) noexcept {
    auto *block = static_cast<ThreadBlock *>(value);
    if (in_bad_fork()) { // the hooks take locks that another thread of the parent may have held
        if (block->listed) return;
        t_block = nullptr;
        std::free(block->text);
        delete block;
        return;
    }
    if (!block->is_library) g_attached.fetch_sub(1, std::memory_order_acq_rel);
    if (block->is_main) {
        keep_main_mask();
        g_main_call.store(MainThreadCall::Ended, std::memory_order_release);
    }
    for (int i = g_exit_hook_count.load(std::memory_order_acquire) - 1; i >= 0; --i)
        if (ExitHook hook = g_exit_hooks[i].load(std::memory_order_acquire)) hook(*block);
    t_block = nullptr;
    block->in_use.store(false, std::memory_order_release);
}

ThreadBlock *reuse_block() noexcept GS_REQUIRES(g_thread_block_mutex) {
    for (ThreadBlock *block = g_head.load(std::memory_order_relaxed); block; block = block->next)
        if (!block->in_use.load(std::memory_order_acquire)) return block;
    return nullptr;
}

ThreadBlock *append_block() noexcept GS_REQUIRES(g_thread_block_mutex) {
    auto *block = new (std::nothrow) ThreadBlock;
    if (!block) return nullptr;
    block->id = g_next_id++;
    block->listed = true;
    if (g_tail)
        g_tail->next = block;
    else
        g_head.store(block, std::memory_order_release);
    g_tail = block;
    return block;
}

InsideCallback *g_callbacks GS_GUARDED_BY(g_thread_block_mutex) = nullptr; // on threads without a block

bool prepare_key() noexcept GS_REQUIRES(g_thread_block_mutex) {
    if (g_key_made) return true;
    g_key_made = pthread_key_create(&g_key, on_thread_exit) == 0;
    return g_key_made;
}

// A block for a new thread; nullptr: memory is out.
ThreadBlock *take_block() noexcept GS_REQUIRES(g_thread_block_mutex) {
    if (!prepare_key()) return nullptr;
    ThreadBlock *block = reuse_block();
    if (!block) block = append_block();
    if (!block) return nullptr;
    block->serial = g_next_serial++;
    block->os_id = 0;
    block->open_ranges = 0;
    block->may_not_block = 0;
    block->timed_out = 0;
    block->pending = no_error();
    block->last = no_error();
    block->in_use.store(true, std::memory_order_release);
    return block;
}

// In a bad fork the key exists, since the thread that started the parent's backend made it. Only where the handlers
// did not run for the fork may it be missing, and then the lock is free.
bool find_key_in_bad_fork() noexcept GS_UNANALYSED {
    if (g_key_made) return true;
    MutexLock lock(g_thread_block_mutex);
    return prepare_key();
}

// For threads that the child of a bad fork starts. To list a block would take a lock that the parent may have held.
ThreadBlock *attach_in_bad_fork() noexcept {
    auto *block = find_key_in_bad_fork() ? new (std::nothrow) ThreadBlock : nullptr;
    if (!block) return nullptr;
    if (pthread_setspecific(g_key, block) != 0) {
        delete block;
        return nullptr;
    }
    t_block = block;
    return block;
}

// In a forked child only the forking thread lives: blocks of the other threads must not hold up the reclaimer.
void reset_other_blocks() noexcept GS_UNANALYSED {
    if (t_block) {
        t_block->is_main = true;
        t_block->os_id = 0;
    }
    g_main_mask_known.store(false, std::memory_order_relaxed);
    g_callbacks = nullptr;
    g_attached.store(t_block ? 1 : 0, std::memory_order_relaxed);
    g_main_call.store(t_block ? MainThreadCall::Attached : MainThreadCall::None, std::memory_order_relaxed);
    for (ThreadBlock *block = g_head.load(std::memory_order_relaxed); block; block = block->next) {
        if (block == t_block) continue;
        const uint64_t seq = block->call_seq.load(std::memory_order_relaxed);
        block->call_seq.store((seq + 1) & ~uint64_t{1}, std::memory_order_relaxed);
        block->core = nullptr; // not reused: the fork may have interrupted a change of it
        block->in_use.store(false, std::memory_order_relaxed);
    }
}

} // namespace

// How many callbacks the calling thread, which gets its block now, is inside. g_thread_block_mutex is held.
int32_t callback_depth_without_block() noexcept GS_UNANALYSED {
    const auto id = static_cast<pid_t>(syscall(SYS_gettid));
    int32_t depth = 0;
    for (const InsideCallback *inside = g_callbacks; inside; inside = inside->next_) depth += inside->id_ == id ? 1 : 0;
    return depth;
}

bool guard_threads_in_fork() noexcept {
    register_fork_child_hook(reset_other_blocks);
    return install_fork_handlers(g_thread_block_mutex);
}

uint64_t os_id(ThreadBlock &thread) noexcept {
    if (thread.os_id == 0) thread.os_id = static_cast<uint64_t>(syscall(SYS_gettid));
    return thread.os_id;
}

bool thread_lives(uint64_t serial) noexcept {
    for (const ThreadBlock *block = all_thread_blocks(); block; block = block->next)
        if (block->in_use.load(std::memory_order_acquire) && block->serial == serial) return true;
    return false;
}

ThreadBlock *attach_thread() noexcept {
    notice_unprepared_fork();
    if (in_bad_fork()) return attach_in_bad_fork();
    if (!guard_threads_in_fork()) return nullptr;
    MutexLock lock(g_thread_block_mutex);
    ThreadBlock *block = take_block();
    if (!block || pthread_setspecific(g_key, block) != 0) {
        if (block) block->in_use.store(false, std::memory_order_release);
        g_attach_failed.store(true, std::memory_order_relaxed);
        return nullptr;
    }
    block->callback_depth = callback_depth_without_block();
    block->is_library = is_library_thread();
    if (!block->is_library) g_attached.fetch_add(1, std::memory_order_acq_rel);
    block->is_main = syscall(SYS_gettid) == getpid();
    if (block->is_main) g_main_call.store(MainThreadCall::Attached, std::memory_order_release);
    t_block = block;
    return block;
}

ThreadBlock *reserve_block() noexcept {
    if (!guard_threads_in_fork()) return nullptr;
    MutexLock lock(g_thread_block_mutex);
    ThreadBlock *block = take_block();
    if (!block) return nullptr;
    block->callback_depth = 0;
    block->is_library = true;
    block->is_main = false;
    return block;
}

void return_block(ThreadBlock &block) noexcept { block.in_use.store(false, std::memory_order_release); }

// If the key cannot be set, the block stays when the thread ends. Threads of the library seldom end.
void adopt_block(ThreadBlock &block) noexcept {
    t_block = &block;
    (void)pthread_setspecific(g_key, &block);
}

InsideCallback::InsideCallback() noexcept : thread_(this_thread()) {
    if (thread_) {
        ++thread_->callback_depth;
        return;
    }
    id_ = static_cast<pid_t>(syscall(SYS_gettid));
    MutexLock lock(g_thread_block_mutex);
    next_ = g_callbacks;
    g_callbacks = this;
}

InsideCallback::~InsideCallback() {
    if (thread_) {
        --thread_->callback_depth;
        return;
    }
    MutexLock lock(g_thread_block_mutex);
    InsideCallback **place = &g_callbacks;
    while (*place != this) place = &(*place)->next_;
    *place = next_;
    if (t_block) --t_block->callback_depth; // it got one in between
}

ThreadBlock *all_thread_blocks() noexcept { return g_head.load(std::memory_order_acquire); }

MainThreadCall main_thread_call() noexcept { return g_main_call.load(std::memory_order_acquire); }

uint64_t main_thread_mask() noexcept { return g_main_mask.load(std::memory_order_relaxed); }

int32_t attached_threads() noexcept { return g_attached.load(std::memory_order_acquire); }

bool attach_failed() noexcept { return g_attach_failed.load(std::memory_order_relaxed); }

bool add_thread_exit_hook(void (*hook)(ThreadBlock &)) noexcept {
    MutexLock lock(g_thread_block_mutex);
    const int count = g_exit_hook_count.load(std::memory_order_relaxed);
    for (int i = 0; i < count; ++i)
        if (g_exit_hooks[i].load(std::memory_order_relaxed) == hook) return true;
    if (count == kMaxExitHooks) return false; // one-sided: the table has room for all hooks
    g_exit_hooks[count].store(hook, std::memory_order_release);
    g_exit_hook_count.store(count + 1, std::memory_order_release);
    return true;
}

} // namespace gs
