// SPDX-License-Identifier: Apache-2.0
// Streams that wait for a word of memory. The engine's own writes release them at once. The program may store into
// the word as well, so one thread looks at all of them regularly. The waits need no worker.
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/host/engine/stream_queue.hpp"
#include "backend/host/engine/worker_pool.hpp"
#include "base/last_thread.hpp"
#include "base/lock.hpp"
#include "base/status.hpp"

namespace gs::host {

class WordWaits {
public:
    explicit WordWaits(WorkerPool &pool) noexcept : pool_(pool) {}

    Status ensure_started() noexcept { return started_.load(std::memory_order_acquire) ? kOk : start(); }
    // Takes the stream's token until the wait at its head is met or its device is latched. False: the wait is met
    // already, and the caller keeps the token. After true the caller must not touch the stream.
    bool park(Stream &stream, Op &head) noexcept;
    // After a store into the word.
    void written(const void *address) noexcept;
    // Releases the device's streams: their work is dropped.
    void expire(const Device &device) noexcept;

private:
    static void thread_main(void *self) noexcept;
    static bool idle(void *self, uint64_t *turns) noexcept;
    Status start() noexcept;
    void work() noexcept;
    // Releases those for which release(stream, head) is true. Returns whether there were any.
    template <typename Choose>
    bool release(Choose &&choose) noexcept;

    WorkerPool &pool_;
    std::atomic<bool> started_{false};
    Mutex start_mutex_;
    Service service_{idle, this};
    // Raised before a stream looks at its word for the last time. A writer that reads 0 after its store need not look
    // for waits, since each later wait sees the store.
    std::atomic<uint32_t> count_{0};
    Mutex mutex_;
    Condition added_;
    Stream *parked_ GS_GUARDED_BY(mutex_) = nullptr;
    uint64_t turns_ GS_GUARDED_BY(mutex_) = 0;
};

} // namespace gs::host
