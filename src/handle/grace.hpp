// SPDX-License-Identifier: Apache-2.0
// Keeps an object's driver handles from being reused while a call on its old handle is still running.
//
// A call marks its thread with two plain stores (CallMark). Whoever wants to reuse destroyed objects opens a Grace
// period: one membarrier makes every other thread's mark visible, then each thread seen inside a call is waited for by
// its sequence number - never by blocking, only by asking again later. See docs/adr/0002-grace-periods.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/thread_block.hpp"

#if defined(__SANITIZE_THREAD__)
#define GS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GS_TSAN 1
#endif
#endif

namespace gs {

// False where membarrier is missing (or under ThreadSanitizer, which does not know it): marks then cost a full fence.
extern std::atomic<bool> g_light_marks __attribute__((visibility("hidden")));

class CallMark {
public:
    explicit CallMark(ThreadBlock &thread) noexcept : thread_(thread) {
        const uint64_t seq = thread.call_seq.load(std::memory_order_relaxed);
        const uint64_t inside = seq | 1;
        after_ = 2 * inside - seq; // the next even number; a mark inside a mark leaves everything as it was
#if defined(GS_TSAN)
        thread.call_seq.exchange(inside, std::memory_order_seq_cst);
#else
        thread.call_seq.store(inside, std::memory_order_relaxed);
        if (__builtin_expect(g_light_marks.load(std::memory_order_relaxed), 1))
            std::atomic_signal_fence(std::memory_order_seq_cst);
        else
            std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
    }
    ~CallMark() { thread_.call_seq.store(after_, std::memory_order_release); }
    CallMark(const CallMark &) = delete;
    CallMark &operator=(const CallMark &) = delete;

private:
    ThreadBlock &thread_;
    uint64_t after_;
};

// Finds out once whether the kernel has membarrier; from then on marks are light.
extern std::atomic<bool> g_marks_prepared __attribute__((visibility("hidden")));
void prepare_marks_once() noexcept __attribute__((cold));
inline void prepare_marks() noexcept {
    if (__builtin_expect(!g_marks_prepared.load(std::memory_order_acquire), 0)) prepare_marks_once();
}

// The light side of heavy_barrier: between a store and a load that must not change places as other threads see them. One of
// the two threads sees what the other stored before its barrier.
inline void light_barrier() noexcept {
    if (__builtin_expect(g_light_marks.load(std::memory_order_relaxed), 1))
        std::atomic_signal_fence(std::memory_order_seq_cst);
    else
        std::atomic_thread_fence(std::memory_order_seq_cst);
}

// Makes every store this thread made before visible before every other thread's next mark, and every mark made before
// visible to this thread.
void heavy_barrier() noexcept;

class Grace {
public:
    // Starts a period for objects whose handles were cleared before. self: the caller's own mark does not count.
    void begin(const ThreadBlock *self) noexcept;
    // True once no call that was running at begin is running still. It comes, however many threads make calls: each is
    // waited for at most once, by the number of one call.
    bool over() noexcept;

private:
    static constexpr int kMaxBusy = 32;
    struct Busy {
        const ThreadBlock *thread;
        uint64_t seq;
    };
    // Notes threads that are inside a call, from next_ on. A thread looked at later than at begin may be inside a later
    // call, which is waited for needlessly; one found outside has left the call of then, as the barrier showed its mark.
    void look() noexcept;
    Busy busy_[kMaxBusy];
    int count_ = 0;
    const ThreadBlock *next_ = nullptr; // the first that did not fit among the busy ones
    const ThreadBlock *self_ = nullptr;
};

} // namespace gs
