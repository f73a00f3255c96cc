// SPDX-License-Identifier: Apache-2.0
// Streams that wait for a record of another process. One thread polls for all of them and needs no worker. The same
// thread removes files that dead processes left behind.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/host/engine/stream_queue.hpp"
#include "backend/host/engine/worker_pool.hpp"
#include "base/last_thread.hpp"
#include "base/lock.hpp"
#include "base/shared_file.hpp"
#include "base/status.hpp"

namespace gs::host {

class Watcher {
public:
    explicit Watcher(WorkerPool &pool) noexcept : pool_(pool) {}

    Status ensure_started() noexcept { return started_.load(std::memory_order_acquire) ? kOk : start(); }
    // Takes the stream's token until the record that its head waits for is complete or lost, or its device is latched;
    // the answer goes into the head.
    void add(Stream &stream) noexcept;
    // Looks through the directory for files of dead processes soon. Best effort: no result depends on it.
    void sweep(const char *directory) noexcept;

private:
    static void thread_main(void *self) noexcept;
    static bool idle(void *self, uint64_t *turns) noexcept;
    Status start() noexcept;
    void work() noexcept;
    void poll(Stream *&watched, long &nap_ns) noexcept;
    static bool answered(Stream &stream) noexcept;

    WorkerPool &pool_;
    std::atomic<bool> started_{false};
    Mutex start_mutex_;
    Service service_{idle, this};
    Mutex mutex_;
    Condition added_;
    bool resting_ GS_GUARDED_BY(mutex_) = false; // waits without a limit
    uint64_t turns_ GS_GUARDED_BY(mutex_) = 0;
    Stream *fresh_ GS_GUARDED_BY(mutex_) = nullptr;
    const char *to_sweep_ GS_GUARDED_BY(mutex_) = nullptr;
    SharedSweep sweep_; // of the thread
};

} // namespace gs::host
