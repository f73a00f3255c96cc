// SPDX-License-Identifier: Apache-2.0
// The streams that sleep (timers.cpp), and those that wait for what comes from outside of the engine: a record of another process,
// or a word of memory. One thread for each of the three looks after all of them.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/host/engine/stream_queue.hpp"
#include "backend/host/engine/worker_pool.hpp"
#include "base/last_thread.hpp"
#include "base/shared_file.hpp"

namespace gs::host {

// Streams that sleep: one thread and a pairing heap through the streams themselves, so thousands of delays cost no
// worker and no allocation.
class Timers {
public:
    explicit Timers(WorkerPool &pool) noexcept : pool_(pool) {}

    Status ensure_started() noexcept { return thread_.ensure_started(); }
    // Takes the stream's token until deadline_ns (CLOCK_MONOTONIC), then hands it to the pool. False: the device has
    // been latched, and the token stays with the caller.
    bool add(Stream &stream, uint64_t deadline_ns) noexcept;
    // Ends the sleep of the device's streams now.
    void expire(const Device &device) noexcept;

private:
    static bool idle(void *self, uint64_t *turns) noexcept;
    void work() noexcept;
    Stream *pop() noexcept GS_REQUIRES(mutex_);

    WorkerPool &pool_;
    ServiceThread thread_{"gs-host-timer", [](void *self) { static_cast<Timers *>(self)->work(); }, idle, this};
    Mutex mutex_;
    Condition changed_;
    bool resting_ GS_GUARDED_BY(mutex_) = false; // waits without a limit
    uint64_t turns_ GS_GUARDED_BY(mutex_) = 0;
    Stream *root_ GS_GUARDED_BY(mutex_) = nullptr;
};

class Watcher {
public:
    explicit Watcher(WorkerPool &pool) noexcept : pool_(pool) {}

    Status ensure_started() noexcept { return thread_.ensure_started(); }
    // Takes the stream's token until the record that its head waits for is complete or lost, or its device is latched;
    // the answer goes into the head.
    void add(Stream &stream) noexcept;
    // Looks through the directory for files of dead processes soon. Best effort: no result depends on it.
    void sweep(const char *directory) noexcept;

private:
    static bool idle(void *self, uint64_t *turns) noexcept;
    void work() noexcept;
    void poll(Stream *&watched, long &nap_ns) noexcept;
    static bool answered(Stream &stream) noexcept;

    WorkerPool &pool_;
    ServiceThread thread_{"gs-host-watcher", [](void *self) { static_cast<Watcher *>(self)->work(); }, idle, this};
    Mutex mutex_;
    Condition added_;
    bool resting_ GS_GUARDED_BY(mutex_) = false; // waits without a limit
    uint64_t turns_ GS_GUARDED_BY(mutex_) = 0;
    Stream *fresh_ GS_GUARDED_BY(mutex_) = nullptr;
    const char *to_sweep_ GS_GUARDED_BY(mutex_) = nullptr;
    SharedSweep sweep_; // of the thread
};

// Streams that wait for a word of memory. The engine's own writes release them at once. The program may store into
// the word as well, so one thread looks at all of them regularly. The waits need no worker.
class WordWaits {
public:
    explicit WordWaits(WorkerPool &pool) noexcept : pool_(pool) {}

    Status ensure_started() noexcept { return thread_.ensure_started(); }
    // Takes the stream's token until the wait at its head is met or its device is latched. False: the wait is met
    // already, and the caller keeps the token. After true the caller must not touch the stream.
    bool park(Stream &stream, Op &head) noexcept;
    // After a store into the word.
    void written(const void *address) noexcept;
    // Releases the device's streams: their work is dropped.
    void expire(const Device &device) noexcept;

private:
    static bool idle(void *self, uint64_t *turns) noexcept;
    void work() noexcept;
    // Releases those for which release(stream, head) is true. Returns whether there were any.
    template <typename Choose>
    bool release(Choose &&choose) noexcept;

    WorkerPool &pool_;
    ServiceThread thread_{"gs-host-words", [](void *self) { static_cast<WordWaits *>(self)->work(); }, idle, this};
    // Raised before a stream looks at its word for the last time. A writer that reads 0 after its store need not look
    // for waits, since each later wait sees the store.
    std::atomic<uint32_t> count_{0};
    Mutex mutex_;
    Condition added_;
    Stream *parked_ GS_GUARDED_BY(mutex_) = nullptr;
    uint64_t turns_ GS_GUARDED_BY(mutex_) = 0;
};

} // namespace gs::host
