// SPDX-License-Identifier: Apache-2.0
// Streams that wait for a record of another process: one thread polls for all of them, no worker is ever held.
#pragma once

#include <atomic>

#include "backend/host/engine/stream_queue.hpp"
#include "backend/host/engine/worker_pool.hpp"
#include "base/condition.hpp"
#include "base/mutex.hpp"
#include "base/status.hpp"

namespace gs::host {

class Watcher {
public:
    explicit Watcher(WorkerPool &pool) noexcept : pool_(pool) {}

    Status ensure_started() noexcept { return started_.load(std::memory_order_acquire) ? kOk : start(); }
    // Takes the stream's token until the record that its head waits for is complete or lost, or its device is latched;
    // the answer goes into the head.
    void add(Stream &stream) noexcept;

private:
    static void thread_main(void *self) noexcept;
    Status start() noexcept;
    void work() noexcept;
    static bool answered(Stream &stream) noexcept;

    WorkerPool &pool_;
    std::atomic<bool> started_{false};
    Mutex start_mutex_;
    Mutex mutex_;
    Condition added_;
    Stream *fresh_ GS_GUARDED_BY(mutex_) = nullptr;
};

} // namespace gs::host
