// SPDX-License-Identifier: Apache-2.0
// Keeps the driver handles of a destroyed object from being reused while a call on its old handle is still running.
//
// A call marks its thread with two plain stores (CallMark). A thread that wants to reuse destroyed objects begins a grace
// period: one membarrier makes the marks of all other threads visible. The period is over once each thread that was
// inside a call has left it, as its sequence number shows. It is polled and never blocks. See
// docs/adr/0002-grace-periods.md.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/core_data.hpp"
#include "base/thread_block.hpp"

#if defined(GPUSTREAM_SCHEDULED)
// Compiled with -fsanitize=thread, but linked with tests/schedule/scheduler, which knows membarrier.
#elif defined(__SANITIZE_THREAD__)
#define GS_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GS_TSAN 1
#endif
#endif

namespace gs {

// False where membarrier is missing, and under ThreadSanitizer, which does not know it. Marks then cost a full fence.
GS_CORE_DATA(std::atomic<bool>, g_light_marks);

class CallMark {
public:
    explicit CallMark(ThreadBlock &thread) noexcept : thread_(thread) {
        const uint64_t seq = thread.call_seq.load(std::memory_order_relaxed);
        const uint64_t inside = seq | 1;
        after_ = 2 * inside - seq; // the next even number, or, for a nested mark, the odd number as it was
#if defined(GS_TSAN)
        // For the fence below, which model shared_event_ends demands.
        thread.call_seq.exchange(inside, std::memory_order_seq_cst);
#else
        thread.call_seq.store(inside, std::memory_order_relaxed);
        if (g_light_marks.load(std::memory_order_relaxed))       // one-sided: as the kernel has it
            std::atomic_signal_fence(std::memory_order_seq_cst); // for the compiler; see model shared_event_ends
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

// The thread is inside a call. One that is made inside it, by a function of the program or by the library, ends objects
// as another thread would: the outer call may have found them.
inline bool is_inside_call(const ThreadBlock &thread) noexcept {
    return (thread.call_seq.load(std::memory_order_relaxed) & 1) != 0;
}

// Asks once whether the kernel has membarrier; if so, marks are light from then on (model marks_become_light).
extern std::atomic<bool> g_marks_prepared __attribute__((visibility("hidden")));
void prepare_marks_once() noexcept __attribute__((cold));
inline void prepare_marks() noexcept {
    // As in model marks_become_light: asking twice is harmless.
    if (!g_marks_prepared.load(std::memory_order_acquire)) prepare_marks_once();
}

// The light side of heavy_barrier, between a store and a load that other threads must see in this order. One of the two
// threads sees what the other stored before its barrier.
inline void light_barrier() noexcept {
    if (g_light_marks.load(std::memory_order_relaxed))       // one-sided: as the kernel has it
        std::atomic_signal_fence(std::memory_order_seq_cst); // for the compiler; see model stream_is_entered
    else
        std::atomic_thread_fence(std::memory_order_seq_cst);
}

// Makes all earlier stores of this thread visible to other threads' next marks, and all earlier marks visible to this
// thread.
void heavy_barrier() noexcept;

class Grace {
public:
    // Begins a period for objects whose handles were cleared before. self: a thread whose mark does not count.
    void begin(const ThreadBlock *self = nullptr) noexcept;
    // True once every call that was running at begin() has ended. Each thread is waited for at most once, by the
    // number of one call. So this becomes true however many calls other threads make.
    bool over() noexcept;

private:
    static constexpr int kMaxBusy = 32;
    struct Busy {
        const ThreadBlock *thread;
        uint64_t seq;
    };
    // Notes the threads that are inside a call, from next_ on. A thread that is looked at after begin() may be inside
    // a later call: the wait for that call is unnecessary and harmless. A thread that is outside has left the
    // call of the time of begin(), since the barrier made the mark of that call visible.
    void look() noexcept;
    Busy busy_[kMaxBusy];
    int count_ = 0;
    const ThreadBlock *next_ = nullptr; // the first one that did not fit into busy_
    const ThreadBlock *self_ = nullptr;
};

// Waits until all calls of other threads that are running now have ended. Calls under a mark do not block, unless the driver's
// queue is full.
void wait_for_calls(const ThreadBlock &self) noexcept;

} // namespace gs
