// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_calls.hpp"

#include <new>

#include "base/free_list.hpp"
#include "base/lock.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/stream_hooks.hpp"
#include "core/stream/stream_slots.hpp"

namespace gs {

// Made on demand and never freed.
struct StreamPool {
    Device *device;
    int32_t priority;
    bool blocking;
    StreamPool *beside; // of the same partition, or of none
    StreamPool *next;

    FreeList<StreamSlot> unused{};
    StreamSlot *limbo_first = nullptr; // the oldest, which is the likeliest to be idle
    StreamSlot *limbo_last = nullptr;
    FreeList<StreamSlot> captured{}; // only ever pushed to; not in a partition
};

namespace {

constexpr int kCandidates = 2; // used streams that are asked per lease before a new one is made

BriefLock g_stream_pool_mutex;
StreamPool *g_pools GS_GUARDED_BY(g_stream_pool_mutex) = nullptr;            // all of them
StreamPool *g_pools_of_devices GS_GUARDED_BY(g_stream_pool_mutex) = nullptr; // those of no partition

StreamPool *&first_pool(PartitionSlot *partition) noexcept GS_REQUIRES(g_stream_pool_mutex) {
    return partition ? partition->pools : g_pools_of_devices;
}

StreamPool *find_pool(const LeaseWish &wish) noexcept GS_REQUIRES(g_stream_pool_mutex) {
    StreamPool *&first = first_pool(wish.partition);
    for (StreamPool *pool = first; pool; pool = pool->beside)
        if (pool->device == wish.device && pool->priority == wish.priority && pool->blocking == wish.blocking)
            return pool;
    auto *pool = new (std::nothrow) StreamPool{wish.device, wish.priority, wish.blocking, first, g_pools};
    if (pool) first = g_pools = pool;
    return pool;
}

// nullptr: the slot's partition takes no stream back.
StreamPool *pool_of(StreamSlot &slot) noexcept GS_REQUIRES(g_stream_pool_mutex) {
    if (slot.partition && slot.partition->closed) return nullptr;
    if (!slot.pool) slot.pool = find_pool({slot.device, slot.partition, slot.priority, slot.blocking()});
    return slot.pool;
}

void append_limbo(StreamPool &pool, StreamSlot &slot) noexcept GS_REQUIRES(g_stream_pool_mutex) {
    set_state(slot, StreamState::Limbo);
    slot.next = nullptr;
    (pool.limbo_last ? pool.limbo_last->next : pool.limbo_first) = &slot;
    pool.limbo_last = &slot;
}

StreamSlot *take_limbo(StreamPool &pool) noexcept GS_REQUIRES(g_stream_pool_mutex) {
    StreamSlot *slot = pool.limbo_first;
    if (!slot) return nullptr;
    pool.limbo_first = slot->next;
    if (!pool.limbo_first) pool.limbo_last = nullptr;
    return slot;
}

void push_captured(StreamPool &pool, StreamSlot &slot) noexcept GS_REQUIRES(g_stream_pool_mutex) {
    set_state(slot, StreamState::Captured);
    pool.captured.push(slot);
}

enum class Fitness { Ready, Busy, Captured, Failed, Lost };

// May a used driver stream serve a new owner? Asked without breaking any capture, with no lock held.
Fitness examine(ThreadBlock &thread, StreamSlot &slot) noexcept {
    bool done = false;
    Status status = slot.backend->stream_query(thread, slot.ref(), &done);
    if (status.ok() && !done) return Fitness::Busy;
    if (status.ok() && slot.exported.load(std::memory_order_relaxed)) {
        status = slot.backend->stream_reset(slot.ref());
        if (status.ok()) slot.exported.store(false, std::memory_order_relaxed);
    }
    if (status.ok()) {
        slot.reachable.store(false, std::memory_order_relaxed);
        finish_deferred(slot);
        return Fitness::Ready;
    }
    switch (status.code) {
    case GS_ERROR_CAPTURING: return Fitness::Captured;
    case GS_ERROR_STICKY:
    case GS_ERROR_CONTEXT_LOST: return Fitness::Lost;
    // It never works again. Other streams of a graph that failed in it may still run, which deferred functions wait for.
    case GS_ERROR_PEER_LOST: leave_deferred(slot); return Fitness::Failed;
    default: return Fitness::Busy; // another failure may pass: asked again later
    }
}

void drop(StreamSlot &slot) noexcept {
    finish_deferred(slot);
    // What is left of a partition on a lost device ends with its last stream.
    slot.partition ? dismantle_stream(slot) : set_state(slot, StreamState::Dropped);
}

// Its capture ends with it if the stream began it. If another stream did, through the library, it will end, and the stream
// is asked again later. The end of a capture of other code is not in sight: the stream stays with it, but for one of a partition,
// which has to end with the partition.
void keep_captured(StreamSlot &slot) noexcept {
    const CaptureGuard *guard = capture_guard();
    if ((guard && guard->give_up(slot)) || slot.partition) return return_lease(slot);
    leave_deferred(slot);
    BriefGuard lock(g_stream_pool_mutex);
    StreamPool *pool = pool_of(slot);
    if (!pool) return; // one-sided: it exists: the slot was in it
    push_captured(*pool, slot);
}

// A used stream that is idle by now, else nullptr. One that has failed ends, and one whose context is lost is dropped.
StreamSlot *reuse_from_limbo(ThreadBlock &thread, StreamPool &pool) noexcept {
    for (int i = 0; i < kCandidates; ++i) {
        StreamSlot *slot = nullptr;
        {
            BriefGuard lock(g_stream_pool_mutex);
            slot = take_limbo(pool);
        }
        if (!slot) return nullptr;
        switch (examine(thread, *slot)) {
        case Fitness::Ready: return slot;
        case Fitness::Failed: dismantle_stream(*slot); break;
        case Fitness::Lost: drop(*slot); break;
        case Fitness::Captured: keep_captured(*slot); break;
        case Fitness::Busy: return_lease(*slot); break;
        }
    }
    return nullptr;
}

// A stream is out of its list while it is asked, so that no other thread destroys it.
Status refuse_if_limbo_captures(ThreadBlock &thread, StreamPool &pool) noexcept {
    const StreamSlot *captured = nullptr;
    int left = 0;
    {
        BriefGuard lock(g_stream_pool_mutex);
        captured = pool.captured.first();
        for (const StreamSlot *slot = pool.limbo_first; slot; slot = slot->next) ++left;
    }
    Status status = kOk;
    for (; captured && status.ok(); captured = captured->next)
        status = refuse_if_capturing(thread, *pool.device, captured->native);
    while (left-- > 0 && status.ok()) {
        StreamSlot *slot = nullptr;
        {
            BriefGuard lock(g_stream_pool_mutex);
            slot = take_limbo(pool);
        }
        if (!slot) return kOk;
        // One that was found to be captured in a partition is here, too.
        const bool asked_before = slot->partition && slot->reachable.load(std::memory_order_relaxed);
        if (slot->exported.load(std::memory_order_relaxed) || asked_before)
            status = refuse_if_capturing(thread, *pool.device, slot->native);
        return_lease(*slot);
    }
    return status;
}

} // namespace

Status take_lease(ThreadBlock &thread, const LeaseWish &wish, StreamSlot **out) noexcept {
    StreamPool *pool = nullptr;
    {
        BriefGuard lock(g_stream_pool_mutex);
        pool = find_pool(wish);
        if (!pool) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a stream pool");
        *out = pool->unused.pop();
    }
    if (!*out) *out = reuse_from_limbo(thread, *pool);
    return kOk;
}

void return_lease(StreamSlot &slot) noexcept {
    {
        BriefGuard lock(g_stream_pool_mutex);
        // It exists, unless the partition has ended: the slot was leased from it.
        if (StreamPool *pool = pool_of(slot)) {
            if (slot.use.load(std::memory_order_relaxed) != StreamUse::None) {
                append_limbo(*pool, slot);
            } else {
                set_state(slot, StreamState::Unused);
                pool->unused.push(slot);
            }
            return;
        }
    }
    end_driver_stream(slot);
}

void end_pooled_streams(PartitionSlot &partition) noexcept {
    FreeList<StreamSlot> pooled;
    {
        BriefGuard lock(g_stream_pool_mutex);
        partition.closed = true;
        for (StreamPool *pool = partition.pools; pool; pool = pool->beside) {
            pooled.take_from(pool->unused);
            while (StreamSlot *slot = take_limbo(*pool)) pooled.push(*slot);
        }
    }
    while (StreamSlot *slot = pooled.pop()) end_driver_stream(*slot);
}

Status refuse_if_pooled_captures(ThreadBlock &thread, const Device &device) noexcept {
    StreamPool *pool = nullptr;
    {
        BriefGuard lock(g_stream_pool_mutex);
        pool = g_pools;
    }
    for (; pool; pool = pool->next) // new pools go to the front
        if (pool->device == &device) GS_TRY(refuse_if_limbo_captures(thread, *pool));
    return kOk;
}

void trim_pools(ThreadBlock &thread) noexcept {
    if (const CaptureGuard *guard = capture_guard()) guard->forget_orphans();
    FreeList<StreamSlot> ending, used;
    {
        BriefGuard lock(g_stream_pool_mutex);
        for (StreamPool *pool = g_pools; pool; pool = pool->next) {
            ending.take_from(pool->unused);
            while (StreamSlot *slot = take_limbo(*pool)) used.push(*slot);
        }
    }
    while (StreamSlot *slot = used.pop()) {
        switch (examine(thread, *slot)) {
        case Fitness::Ready:
        case Fitness::Failed: ending.push(*slot); break;
        case Fitness::Busy: return_lease(*slot); break;
        case Fitness::Lost: drop(*slot); break;
        case Fitness::Captured: keep_captured(*slot); break;
        }
    }
    while (StreamSlot *slot = ending.pop()) dismantle_stream(*slot);
}

Status end_partition(uint64_t handle) noexcept {
    PartitionSlot *slot = nullptr;
    GS_TRY(close_partition(handle, &slot));
    end_pooled_streams(*slot);
    release_partition(*slot);
    return kOk;
}

} // namespace gs
