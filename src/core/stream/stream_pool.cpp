// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_pool.hpp"

#include <new>

#include "core/stream/shared_streams.hpp"
#include "core/stream/stream_life.hpp"
#include "core/thread/current_stream.hpp"

namespace gs {
namespace {

constexpr int kCandidates = 2; // used streams asked per lease before a new one is made

// Streams with the same device, effective priority and blocking flag. Made on demand, kept for ever.
struct Pool {
    Device *device;
    int32_t priority;
    bool blocking;
    Pool *next;

    StreamSlot *unused = nullptr; // nothing was ever enqueued: ready at once
    StreamSlot *limbo_first = nullptr;
    StreamSlot *limbo_last = nullptr; // oldest first: the likeliest to be idle
    StreamSlot *captured = nullptr;   // found so when asked whether they are idle: whoever does that keeps them
};

Mutex g_mutex;
Pool *g_pools GS_GUARDED_BY(g_mutex) = nullptr;

Pool *find_pool(Device &device, int32_t priority, bool blocking) noexcept GS_REQUIRES(g_mutex) {
    for (Pool *pool = g_pools; pool; pool = pool->next)
        if (pool->device == &device && pool->priority == priority && pool->blocking == blocking) return pool;
    auto *pool = new (std::nothrow) Pool{&device, priority, blocking, g_pools};
    if (pool) g_pools = pool;
    return pool;
}

void append_limbo(Pool &pool, StreamSlot &slot) noexcept GS_REQUIRES(g_mutex) {
    slot.next = nullptr;
    (pool.limbo_last ? pool.limbo_last->next : pool.limbo_first) = &slot;
    pool.limbo_last = &slot;
}

StreamSlot *take_limbo(Pool &pool) noexcept GS_REQUIRES(g_mutex) {
    StreamSlot *slot = pool.limbo_first;
    if (!slot) return nullptr;
    pool.limbo_first = slot->next;
    if (!pool.limbo_first) pool.limbo_last = nullptr;
    return slot;
}

void push_captured(Pool &pool, StreamSlot &slot) noexcept GS_REQUIRES(g_mutex) {
    slot.next = pool.captured;
    pool.captured = &slot;
}

enum class Fitness { Ready, Busy, Captured, Lost };

// May a used driver stream serve a new owner? Asked without breaking any capture, with no lock held.
Fitness examine(ThreadBlock &thread, StreamSlot &slot) noexcept {
    bool done = false;
    Status status = slot.backend->stream_query(thread, slot.ref(), &done);
    if (status.ok() && !done) return Fitness::Busy;
    if (status.ok() && slot.exported.load(std::memory_order_relaxed)) {
        status = slot.backend->stream_reset(slot.ref());
        if (status.ok()) slot.exported.store(false, std::memory_order_relaxed);
    }
    if (status.ok()) return Fitness::Ready;
    switch (status.code) {
    case GS_ERROR_CAPTURING: return Fitness::Captured;
    case GS_ERROR_STICKY:
    case GS_ERROR_CONTEXT_LOST: return Fitness::Lost;
    default: return Fitness::Busy; // another failure may pass: asked again later
    }
}

// A used stream that is idle by now, else nullptr. One that is being captured stays with whoever does that; one whose
// context is lost is dropped.
StreamSlot *reuse_from_limbo(ThreadBlock &thread, Pool &pool) noexcept {
    for (int i = 0; i < kCandidates; ++i) {
        StreamSlot *slot = nullptr;
        {
            MutexLock lock(g_mutex);
            slot = take_limbo(pool);
        }
        if (!slot) return nullptr;
        switch (examine(thread, *slot)) {
        case Fitness::Ready: return slot;
        case Fitness::Lost: break;
        case Fitness::Captured: {
            MutexLock lock(g_mutex);
            push_captured(pool, *slot);
            break;
        }
        case Fitness::Busy: {
            MutexLock lock(g_mutex);
            append_limbo(pool, *slot);
            break;
        }
        }
    }
    return nullptr;
}

// Each is out of its list while it is asked, so that nobody destroys it meanwhile.
Status refuse_if_limbo_captures(ThreadBlock &thread, Pool &pool) noexcept {
    const StreamSlot *captured = nullptr; // only ever put in front
    int left = 0;
    {
        MutexLock lock(g_mutex);
        captured = pool.captured;
        for (const StreamSlot *slot = pool.limbo_first; slot; slot = slot->next) ++left;
    }
    Status status = kOk;
    for (; captured && status.ok(); captured = captured->next)
        status = refuse_if_capturing(thread, *pool.device, captured->native);
    while (left-- > 0 && status.ok()) {
        StreamSlot *slot = nullptr;
        {
            MutexLock lock(g_mutex);
            slot = take_limbo(pool);
        }
        if (!slot) return kOk;
        if (slot->exported.load(std::memory_order_relaxed))
            status = refuse_if_capturing(thread, *pool.device, slot->native);
        MutexLock lock(g_mutex);
        append_limbo(pool, *slot);
    }
    return status;
}

Status make_driver_stream(ThreadBlock &thread, Device &device, int32_t priority, bool blocking,
                          StreamSlot **out) noexcept {
    StreamSlot *slot = take_bare_stream();
    if (!slot) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another stream");
    StreamNative made{};
    const Status status = device.backend->stream_create({device.ordinal, priority, blocking}, &made);
    if (!status.ok()) {
        give_bare_stream(*slot);
        return status;
    }
    thread.counters.stream_pool_misses.add();
    slot->device = &device;
    slot->backend = device.backend;
    slot->health = device.health;
    slot->ordinal = device.ordinal;
    slot->native = made.native;
    slot->priority = made.priority;
    slot->uid = new_stream_uid();
    slot->exported.store(false, std::memory_order_relaxed);
    *out = slot;
    return kOk;
}

} // namespace

Status lease_stream(ThreadBlock &thread, Device &device, int32_t priority, bool blocking, StreamSlot **out) noexcept {
    StreamSlot *slot = thread.core ? thread.core->leases.take(device, priority, blocking) : nullptr;
    Pool *pool = nullptr;
    for (int round = 0; round < 2 && !slot; ++round) {
        {
            MutexLock lock(g_mutex);
            if (!pool) pool = find_pool(device, priority, blocking);
            if (!pool) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a stream pool");
            slot = pool->unused;
            if (slot) pool->unused = slot->next;
        }
        if (!slot) slot = reuse_from_limbo(thread, *pool);
        if (!slot && round == 0) collect_streams(&thread); // far cheaper than another driver stream
    }
    if (slot)
        thread.counters.stream_pool_hits.add();
    else
        GS_TRY(make_driver_stream(thread, device, priority, blocking, &slot));
    slot->kind = StreamKind::Leased;
    slot->flags = blocking ? uint32_t{GS_STREAM_BLOCKING} : 0u;
    slot->used.store(false, std::memory_order_relaxed);
    *out = slot;
    return kOk;
}

void return_lease(StreamSlot &slot) noexcept {
    const bool blocking = (slot.flags & GS_STREAM_BLOCKING) != 0;
    MutexLock lock(g_mutex);
    Pool *pool = find_pool(*slot.device, slot.priority, blocking);
    if (!pool) return; // made from a pool of this kind, so there is one
    if (slot.used.load(std::memory_order_relaxed)) {
        append_limbo(*pool, slot);
    } else {
        slot.next = pool->unused;
        pool->unused = &slot;
    }
}

Status refuse_if_pooled_captures(ThreadBlock &thread, const Device &device) noexcept {
    collect_streams(&thread); // those given back just now
    Pool *pool = nullptr;
    {
        MutexLock lock(g_mutex);
        pool = g_pools;
    }
    for (; pool; pool = pool->next) // pools are only ever put in front
        if (pool->device == &device) GS_TRY(refuse_if_limbo_captures(thread, *pool));
    return kOk;
}

Status trim_streams(ThreadBlock &thread) noexcept {
    collect_streams(&thread);
    while (StreamSlot *slot = thread.core ? thread.core->leases.take_any() : nullptr) return_lease(*slot);
    StreamSlot *idle = nullptr;
    StreamSlot *used = nullptr;
    {
        MutexLock lock(g_mutex);
        for (Pool *pool = g_pools; pool; pool = pool->next) {
            while (StreamSlot *slot = pool->unused) {
                pool->unused = slot->next;
                slot->next = idle;
                idle = slot;
            }
            while (StreamSlot *slot = take_limbo(*pool)) {
                slot->next = used;
                used = slot;
            }
        }
    }
    while (StreamSlot *slot = used) {
        used = slot->next;
        switch (examine(thread, *slot)) {
        case Fitness::Lost: break;
        case Fitness::Captured: {
            MutexLock lock(g_mutex);
            Pool *pool = find_pool(*slot->device, slot->priority, (slot->flags & GS_STREAM_BLOCKING) != 0);
            if (pool) push_captured(*pool, *slot); // it came from one
            break;
        }
        case Fitness::Busy: return_lease(*slot); break;
        case Fitness::Ready:
            slot->next = idle;
            idle = slot;
            break;
        }
    }
    while (StreamSlot *slot = idle) {
        idle = slot->next;
        dismantle_stream(*slot);
    }
    return kOk;
}

} // namespace gs
