// SPDX-License-Identifier: Apache-2.0
// The same objects twice: the driver's own and gpustream's. A failure shows in the rows that use them.
#pragma once

#include <gpustream.h>

#include <atomic>

#include "driver.hpp"

namespace paired {

class StreamPair {
public:
    StreamPair() {
        (void)g_driver.set_context(g_driver.context);
        (void)g_driver.stream_create(&theirs, 1, 0); // 1: non-blocking
        restore();
        (void)gs_stream_create(0, 0, 0, &ours);
        use_memory();
    }
    ~StreamPair() {
        settle();
        (void)g_driver.stream_destroy(theirs);
        (void)gs_stream_destroy(ours);
    }
    StreamPair(const StreamPair &) = delete;
    StreamPair &operator=(const StreamPair &) = delete;

    // From the first allocation in a stream on, the driver takes longer for its records and waits, which may have to order memory
    // too. Ours may come from the pool and have had some, so both have.
    void use_memory() const {
        constexpr size_t kBytes = 512;
        uint64_t their_memory = 0;
        void *our_memory = nullptr;
        (void)g_driver.set_context(g_driver.context);
        if (g_driver.malloc_async(&their_memory, kBytes, theirs) == 0) {
            (void)g_driver.memset_async(their_memory, 0, kBytes, theirs);
            (void)g_driver.free_async(their_memory, theirs);
        }
        restore();
        if (gs_malloc_async(kBytes, ours, &our_memory) == GS_OK) {
            (void)gs_memset_async(our_memory, 0, kBytes, ours);
            (void)gs_free_async(our_memory, ours);
        }
        settle();
    }
    void settle() const {
        (void)g_driver.stream_synchronize(theirs);
        (void)gs_stream_synchronize(ours);
    }
    // What the thread had current before; set by the thread's function.
    static inline thread_local void *current_context = nullptr;
    static void restore() { (void)g_driver.set_context(current_context); }

    void *theirs = nullptr;
    gs_stream_t ours = nullptr;
};

class EventPair {
public:
    explicit EventPair(bool timed = false) {
        constexpr unsigned kDisableTiming = 2;
        (void)g_driver.set_context(g_driver.context);
        (void)g_driver.event_create(&theirs, timed ? 0 : kDisableTiming);
        StreamPair::restore();
        (void)gs_event_create(timed ? static_cast<uint32_t>(GS_EVENT_TIMING) : 0u, &ours);
    }
    ~EventPair() {
        (void)g_driver.event_destroy(theirs);
        (void)gs_event_destroy(ours);
    }
    EventPair(const EventPair &) = delete;
    EventPair &operator=(const EventPair &) = delete;

    void record(const StreamPair &stream) const {
        (void)g_driver.event_record(theirs, stream.theirs);
        (void)gs_event_record(ours, stream.ours);
    }

    void *theirs = nullptr;
    gs_event_t ours = nullptr;
};

// Keeps both streams busy while it lives.
class Hold {
public:
    explicit Hold(const StreamPair &stream) {
        if (g_driver.launch_host(stream.theirs, &Hold::wait, this) != 0) left_.fetch_add(1);
        if (gs_stream_launch_host(stream.ours, &Hold::wait, this) != GS_OK) left_.fetch_add(1);
    }
    ~Hold() {
        open_.store(true);
        open_.notify_all();
        for (int left = left_.load(); left < 2; left = left_.load()) left_.wait(left);
    }
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

private:
    static void wait(void *opaque) {
        auto *self = static_cast<Hold *>(opaque);
        self->open_.wait(false);
        self->left_.fetch_add(1);
        self->left_.notify_all();
    }
    std::atomic<bool> open_{false};
    std::atomic<int> left_{0};
};

} // namespace paired
