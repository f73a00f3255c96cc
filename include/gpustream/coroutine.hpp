// SPDX-License-Identifier: Apache-2.0
// co_await on streams and events: the end of their work resumes a coroutine (C++20).
#pragma once

#include "queue.hpp"

#if defined(__cpp_impl_coroutine) && __has_include(<coroutine>)
#define GPUSTREAM_HAS_COROUTINES 1

#include <coroutine>

#include <unistd.h>

GPUSTREAM_BEGIN_NAMESPACE
namespace detail {

/// A coroutine that waits; its address is the token of its entry.
struct waiter {
    std::coroutine_handle<> waiting;
    gs_status_t status = GS_OK;
};

inline void resume(const gs_completion_t &entry) {
    auto *one = reinterpret_cast<waiter *>(static_cast<uintptr_t>(entry.token));
    one->status = entry.status;
    one->waiting.resume();
}

/// The first exception that leaves a coroutine is the caller's, once all have been continued: no later call would find
/// the others.
inline void resume_all(const gs_completion_t *entries, size_t count) {
#ifdef __cpp_exceptions
    std::exception_ptr first;
    for (size_t i = 0; i < count; ++i) {
        try {
            resume(entries[i]);
        } catch (...) {
            if (first)
                report_failure("coroutine", std::current_exception());
            else
                first = std::current_exception();
        }
    }
    if (first) std::rethrow_exception(std::move(first));
#else
    for (size_t i = 0; i < count; ++i) resume(entries[i]);
#endif
}

/// The loop behind `co_await stream`: a queue, and a thread that resumes what waits in it. Both last as long as the
/// process, and neither exists before the first co_await.
class process_loop {
public:
    /// The queue, or a NULL handle and why.
    static gs_status_t find(gs_queue_t *out_queue) noexcept {
        static process_loop loop;
        // The thread is the parent's.
        if (loop.status_ == GS_OK && loop.process_ != getpid()) return GS_ERROR_BAD_FORK;
        *out_queue = loop.queue_;
        return loop.status_;
    }

private:
    process_loop() noexcept : status_(with_abi(gs_queue_create, 1u << 20, 0, &queue_)), process_(getpid()) {
        if (status_ == GS_OK) status_ = start_thread(&run, queue_);
    }
    static void *run(void *queue) {
        gs_completion_t entries[64];
        size_t count = 0;
        while (gs_queue_wait(static_cast<gs_queue_t>(queue), entries, 64, -1, &count) == GS_OK)
            for (size_t i = 0; i < count; ++i) contained("coroutine", resume, entries[i]);
        return nullptr;
    }

    gs_queue_t queue_ = nullptr;
    gs_status_t status_;
    pid_t process_;
};

/// What co_await needs of a stream's or event's work. The coroutine must not be destroyed while it waits.
template <typename Work>
class [[nodiscard]] awaiter : waiter {
public:
    /// It continues in the process's loop.
    explicit awaiter(Work work) noexcept : by_process_(true), work_(work) {}
    awaiter(gs_queue_t queue, Work work) noexcept : queue_(queue), work_(work) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> caller) noexcept {
        gs_queue_t queue = queue_;
        waiting = caller;
        gs_status_t added = by_process_ ? process_loop::find(&queue) : GS_OK;
        if (added == GS_OK) added = add(queue, reinterpret_cast<uintptr_t>(static_cast<waiter *>(this)));
        // The entry may have been delivered: the coroutine, and this object, may be gone.
        if (added == GS_OK) return true;
        status = added;
        return false;
    }
    /// The failure of the work, or of the wait.
    outcome<void> await_resume() const { return done(status); }

private:
    gs_status_t add(gs_queue_t queue, uint64_t token) const noexcept {
        if constexpr (std::is_same_v<Work, stream_ref>)
            return gs_queue_add_stream(queue, work_.get(), token);
        else
            return gs_queue_add_event(queue, work_.get(), token);
    }

    gs_queue_t queue_ = nullptr;
    bool by_process_ = false;
    Work work_;
};

} // namespace detail

/// Suspends the coroutine until the stream's work so far is done, or has failed. It continues on a thread of this layer,
/// which serves all coroutines of the process: it should not block there. Nothing that is current on the caller's
/// thread is current on that one. An exception that leaves it there goes to set_callback_failure_handler().
inline detail::awaiter<stream_ref> operator co_await(stream_ref stream) noexcept {
    return detail::awaiter<stream_ref>(stream);
}
inline detail::awaiter<event_ref> operator co_await(event_ref event) noexcept {
    return detail::awaiter<event_ref>(event);
}

/// The same with a thread of the caller's: `co_await loop.done(stream)` suspends, and the coroutine continues inside
/// run_one() or poll(). It must outlive the coroutines that wait in it.
class completion_loop {
public:
    completion_loop() noexcept = default;
    /// For at most `capacity` coroutines that wait at a time; more fail with status::full.
    static outcome<completion_loop> create(uint32_t capacity = 1u << 16) {
        completion_loop made;
        gs_queue_t handle = nullptr;
        const gs_status_t status = detail::with_abi(gs_queue_create, capacity, 0, &handle);
        made.queue_.reset(handle);
        return detail::value(status, std::move(made));
    }
    detail::awaiter<stream_ref> done(stream_ref stream) const noexcept { return {queue_.get(), stream}; }
    detail::awaiter<event_ref> done(event_ref event) const noexcept { return {queue_.get(), event}; }

    /// Blocks until work is done, and continues its coroutines; returns how many: 0 after wake(). An exception that
    /// leaves one of them is thrown here once the others of the batch have been continued; if several throw, the later
    /// exceptions go to set_callback_failure_handler(). So with the next two.
    outcome<size_t> run_one() { return run(-1); }
    template <typename Rep, typename Period>
    outcome<size_t> run_one_for(std::chrono::duration<Rep, Period> limit) {
        return run(detail::limit_ns(limit));
    }
    /// Continues what can continue now.
    outcome<size_t> poll() { return run(0); }
    outcome<void> wake() const { return queue_.wake(); }
    /// A descriptor for another event loop: poll() when it is readable.
    outcome<int> fd() const { return queue_.fd(); }

private:
    outcome<size_t> run(int64_t limit_ns) {
        gs_completion_t entries[64];
        size_t count = 0;
        const gs_status_t status = gs_queue_wait(queue_.get(), entries, 64, limit_ns, &count);
        if (status == GS_OK) detail::resume_all(entries, count);
        return detail::value(status == GS_ERROR_TIMEOUT ? GS_OK : status, count);
    }

    queue queue_;
};

GPUSTREAM_END_NAMESPACE
#endif
