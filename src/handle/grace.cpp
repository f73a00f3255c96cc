// SPDX-License-Identifier: Apache-2.0
#include "handle/grace.hpp"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gs {

std::atomic<bool> g_light_marks{false};
std::atomic<bool> g_marks_prepared{false};

#if !defined(GS_TSAN)
namespace {

bool membarrier(int command) noexcept { return syscall(SYS_membarrier, command, 0, 0) == 0; }

} // namespace
#endif

// Marks made before g_light_marks became true were fenced, so switching is safe. No lock is taken, since a fork might
// find it held. Running twice does no harm.
void prepare_marks_once() noexcept {
#if !defined(GS_TSAN)
    // one-sided: as the kernel has it
    if (membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
        g_light_marks.store(true, std::memory_order_seq_cst);
#endif
    g_marks_prepared.store(true, std::memory_order_release); // see model marks_become_light
}

void full_fence() noexcept {
#if defined(GS_TSAN)
    // The sanitizer knows no fences, but it knows a read-modify-write, which is a fence on the hardware. (Without the
    // sanitizer this is the fence below, which model shared_event_ends demands.)
    static std::atomic<uint32_t> word{0};
    word.fetch_add(1, std::memory_order_seq_cst);
#else
    std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

void heavy_barrier() noexcept {
    prepare_marks();
    full_fence();
#if !defined(GS_TSAN)
    // one-sided: as the kernel has it
    if (g_light_marks.load(std::memory_order_relaxed)) membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
#endif
}

void Grace::begin(const ThreadBlock *self) noexcept {
    self_ = self;
    count_ = 0;
    next_ = nullptr;
    heavy_barrier();
    next_ = all_thread_blocks();
    look();
}

void Grace::look() noexcept {
    for (; next_ && count_ < kMaxBusy; next_ = next_->next) {
        if (next_ == self_) continue;
        const uint64_t seq = next_->call_seq.load(std::memory_order_seq_cst);
        if ((seq & 1) != 0) busy_[count_++] = {next_, seq};
    }
}

bool Grace::over() noexcept {
    for (;;) {
        while (count_ > 0) {
            const Busy &last = busy_[count_ - 1];
            if (last.thread->call_seq.load(std::memory_order_acquire) == last.seq) return false;
            --count_;
        }
        if (!next_) return true;
        look();
    }
}

void wait_for_calls(const ThreadBlock &self) noexcept {
    Grace grace;
    grace.begin(&self);
    while (!grace.over()) sched_yield();
}

} // namespace gs
