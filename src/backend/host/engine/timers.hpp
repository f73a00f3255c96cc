// SPDX-License-Identifier: Apache-2.0
// Streams that sleep: one thread and a pairing heap through the streams themselves, so thousands of delays cost no
// worker and no allocation.
#pragma once

#include <cstdint>

#include "backend/host/engine/stream_queue.hpp"
#include "backend/host/engine/worker_pool.hpp"
#include "base/last_thread.hpp"

namespace gs::host {

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

} // namespace gs::host
