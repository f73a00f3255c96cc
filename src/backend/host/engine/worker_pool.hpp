// SPDX-License-Identifier: Apache-2.0
// The threads that run streams, and the list of streams ready to run.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/host/engine/stream_queue.hpp"
#include "base/last_thread.hpp"
#include "base/lock.hpp"
#include "base/status.hpp"

namespace gs::host {

// Streams that run on at most `most` workers at the same time. The pool's lock guards the rest.
struct Share {
    int32_t most = 0;
    int32_t running = 0;
    uint64_t users = 1;                       // who made it, and its streams
    Stream *first = nullptr, *last = nullptr; // ready, while `most` run
};

class WorkerPool {
public:
    using Run = void (*)(void *owner, Stream &stream);
    void configure(int32_t workers, Run run, void *owner) noexcept;

    // Starts the threads once. One thread is enough: SYSTEM only if none can be started; a later call tries again.
    Status ensure_started() noexcept { return started_.load(std::memory_order_acquire) ? kOk : start(); }
    // Hands a stream's token to the pool: higher priority first, then first come, first served.
    void ready(Stream &stream) noexcept;
    // A list linked by Stream::link.
    void ready_all(Stream *list) noexcept;
    int32_t count() const noexcept { return workers_; }
    // For streams that are made later; nullptr when memory is out.
    static Share *make_share(int32_t most) noexcept;
    // A stream's share is set before its first work.
    void join(Share &share) noexcept;
    // The stream, or the owner of the share, has ended. The last one frees it.
    void leave(Share &share) noexcept;

private:
    static void thread_main(void *self) noexcept;
    static bool idle(void *self, uint64_t *turns) noexcept;
    Status start() noexcept;
    void work() noexcept;
    void push(Stream &stream) noexcept GS_REQUIRES(mutex_);
    Stream *pop() noexcept GS_REQUIRES(mutex_);
    bool enter(Stream &stream) noexcept GS_REQUIRES(mutex_);
    void finished(Share &share) noexcept GS_REQUIRES(mutex_);

    static constexpr int32_t kLevels = kLeastPriority - kGreatestPriority + 1;
    std::atomic<bool> started_{false};
    Mutex start_mutex_;
    Service service_{idle, this};
    int32_t workers_ = 1;
    Run run_ = nullptr;
    void *owner_ = nullptr;

    // Workers sleep on a word that changes with each call for one. A condition variable would serve, but with several
    // waiters those of glibc before 2.41 can lose a wake-up (glibc bug 25847).
    Mutex mutex_;
    std::atomic<uint32_t> calls_{0};
    int32_t sleeping_ GS_GUARDED_BY(mutex_) = 0;
    int32_t called_ GS_GUARDED_BY(mutex_) = 0; // sleeping ones that are about to wake
    int32_t running_ GS_GUARDED_BY(mutex_) = 0;
    uint64_t turns_ GS_GUARDED_BY(mutex_) = 0; // ends of sleeps
    Stream *first_[kLevels] GS_GUARDED_BY(mutex_) = {};
    Stream *last_[kLevels] GS_GUARDED_BY(mutex_) = {};
};

} // namespace gs::host
