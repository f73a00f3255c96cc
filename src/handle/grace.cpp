// SPDX-License-Identifier: Apache-2.0
#include "handle/grace.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mutex.hpp"
#include "base/testing.hpp"

namespace gs {

std::atomic<bool> g_light_marks{false};

namespace {

Mutex g_register_mutex;
std::atomic<bool> g_registered{false};

#if !defined(GS_TSAN)
bool membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }
#endif

// Called before the first period. Marks made before g_light_marks turned true were fenced, so switching is safe.
void register_once() noexcept {
    if (g_registered.load(std::memory_order_acquire)) return;
    MutexLock lock(g_register_mutex);
    if (g_registered.load(std::memory_order_relaxed)) return;
#if !defined(GS_TSAN)
    if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        g_light_marks.store(true, std::memory_order_seq_cst);
#endif
    g_registered.store(true, std::memory_order_release);
}

} // namespace

void prepare_marks() noexcept { register_once(); }

void heavy_barrier() noexcept {
    register_once();
    std::atomic_thread_fence(std::memory_order_seq_cst);
#if !defined(GS_TSAN)
    if (g_light_marks.load(std::memory_order_relaxed)) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
#endif
}

void Grace::begin(const ThreadBlock *self) noexcept {
    self_ = self;
    count_ = 0;
    overflow_ = false;
    if (GS_BUG(ReuseWithoutGrace)) return;
    heavy_barrier();
    for (const ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next) {
        if (thread == self) continue;
        const uint64_t seq = thread->call_seq.load(std::memory_order_seq_cst);
        if ((seq & 1) == 0) continue;
        if (count_ == kMaxBusy) {
            overflow_ = true;
            return;
        }
        busy_[count_++] = {thread, seq};
    }
}

bool Grace::over() noexcept {
    if (overflow_) begin(self_);
    if (overflow_) return false;
    while (count_ > 0) {
        const Busy &last = busy_[count_ - 1];
        if (last.thread->call_seq.load(std::memory_order_acquire) == last.seq) return false;
        --count_;
    }
    return true;
}

} // namespace gs
