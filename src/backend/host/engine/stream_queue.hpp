// SPDX-License-Identifier: Apache-2.0
// Stream: a queue of operations, a strand on the worker pool.
//
// A stream with work has exactly one run token. The token belongs to what runs the stream next: the ready list, a
// worker, the waiter list of a record, the timers or the watcher of other processes. Only its holder looks at the head
// of the queue and writes the fields marked "token".
#pragma once

#include <atomic>
#include <cstdint>

#include "backend/host/engine/op.hpp"
#include "base/clock.hpp"
#include "base/free_list.hpp"
#include "base/lock.hpp"
#include "base/thread_block.hpp"

namespace gs::host {

struct CaptureMember;
struct Device;
struct LaneUse;
struct Share;

inline constexpr int32_t kLeastPriority = 0;
inline constexpr int32_t kGreatestPriority = -5;

struct alignas(64) Stream {
    TinyLock lock;
    std::atomic<uint32_t> busy{0};           // 1 while the queue is not empty; written with the lock held
    std::atomic<uint32_t> live{0};           // Slab
    std::atomic<Result> failure{Result::Ok}; // latched: later work is dropped, queries and synchronisations return it
    std::atomic<uint64_t> capture{0};        // the capture it takes part in, 0: none
    Device *device = nullptr;

    Op *head GS_GUARDED_BY(lock) = nullptr;
    Op *tail GS_GUARDED_BY(lock) = nullptr;
    FreeList<Op> spare_ops GS_GUARDED_BY(lock);
    uint64_t last_stamp_ns GS_GUARDED_BY(lock) = 0;
    LaneUse *lanes GS_GUARDED_BY(lock) = nullptr; // with records of interprocess events pending
    bool destroyed GS_GUARDED_BY(lock) = false;

    uint64_t id = 0; // never reused within the engine
    int32_t priority = 0;
    bool blocking = false; // joins the implicit order of the legacy stream; true for that one as well
    bool legacy = false;
    Share *share = nullptr;          // constant: what it may have of the workers; nullptr: all of them
    Stream *side = nullptr;          // token: runs kernels that overtake (engine.cpp)
    Record *behind = nullptr;        // token: of such a side, the end of the work ahead of its kernel; one reference
    CaptureMember *member = nullptr; // beside `capture`; the engine's graph lock guards it

    Stream *link = nullptr;                                  // token: the list that the token is in
    Stream *timer_child = nullptr, *timer_sibling = nullptr; // token: timers
    uint64_t deadline_ns = 0;                                // token: timers

    // Blocking streams with work that the legacy stream has not joined yet; Device::order guards these.
    Stream *pending_prev = nullptr, *pending_next = nullptr;
    bool pending = false;
    uint64_t joined_epoch = 0;

    Stream *all_prev = nullptr, *all_next = nullptr; // streams of the device; Device::list_lock guards them
    Stream *slab_next = nullptr;
};

// The next time stamp of the stream: the clock, but never less than the one before.
inline uint64_t next_stamp(Stream &stream) noexcept GS_REQUIRES(stream.lock) {
    const uint64_t now = monotonic_ns();
    if (now > stream.last_stamp_ns) stream.last_stamp_ns = now;
    return stream.last_stamp_ns;
}

// Is there unfinished work? Consistent with the records: see Engine::run.
inline bool is_busy(Stream &stream) noexcept {
    if (stream.busy.load(std::memory_order_acquire) == 0) return false;
    TinyGuard guard(stream.lock);
    return stream.busy.load(std::memory_order_relaxed) != 0;
}

// Appends to the queue; false if out of memory. Does not start the stream.
bool append(Stream &stream, const Op &op) noexcept GS_REQUIRES(stream.lock);
// Removes the head, or what is behind it, and recycles it.
void remove_head(Stream &stream) noexcept GS_REQUIRES(stream.lock);
void remove_next(Stream &stream) noexcept GS_REQUIRES(stream.lock);

// The default streams of threads: for each (thread, device) one blocking stream.

// Used by its thread alone: ids are unique among live threads, and a block changes hands under a lock.
struct PerThreadStreams {
    Stream **by_device = nullptr; // one entry per device of the engine
};

class PerThreadTable {
public:
    // nullptr when memory is out.
    PerThreadStreams *of(const ThreadBlock &thread, bool create) noexcept;

private:
    static constexpr uint32_t kChunk = 64;
    static constexpr uint32_t kChunks = 4096; // 262144 threads at a time
    std::atomic<PerThreadStreams *> chunks_[kChunks] = {};
};

} // namespace gs::host
