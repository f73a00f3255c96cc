// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_pool.hpp"

#include <new>

#include "core/stream/captured.hpp"
#include "core/stream/deferred.hpp"
#include "core/stream/driver_streams.hpp"
#include "core/thread/thread_state.hpp"

namespace gs {
namespace {

constexpr int kCandidates = 2; // used streams that are asked per lease before a new one is made

// Made on demand and never freed.
struct Pool {
    Device *device;
    int32_t priority;
    bool blocking;
    Pool *next;

    StreamSlot *unused = nullptr;
    StreamSlot *limbo_first = nullptr; // the oldest, which is the likeliest to be idle
    StreamSlot *limbo_last = nullptr;
    StreamSlot *captured = nullptr; // only ever pushed to
};

Mutex g_stream_pool_mutex;
Pool *g_pools GS_GUARDED_BY(g_stream_pool_mutex) = nullptr;

Pool *find_pool(Device &device, int32_t priority, bool blocking) noexcept GS_REQUIRES(g_stream_pool_mutex) {
    for (Pool *pool = g_pools; pool; pool = pool->next)
        if (pool->device == &device && pool->priority == priority && pool->blocking == blocking) return pool;
    auto *pool = new (std::nothrow) Pool{&device, priority, blocking, g_pools};
    if (pool) g_pools = pool;
    return pool;
}

void append_limbo(Pool &pool, StreamSlot &slot) noexcept GS_REQUIRES(g_stream_pool_mutex) {
    set_state(slot, StreamState::Limbo);
    slot.next = nullptr;
    (pool.limbo_last ? pool.limbo_last->next : pool.limbo_first) = &slot;
    pool.limbo_last = &slot;
}

StreamSlot *take_limbo(Pool &pool) noexcept GS_REQUIRES(g_stream_pool_mutex) {
    StreamSlot *slot = pool.limbo_first;
    if (!slot) return nullptr;
    pool.limbo_first = slot->next;
    if (!pool.limbo_first) pool.limbo_last = nullptr;
    return slot;
}

void push_captured(Pool &pool, StreamSlot &slot) noexcept GS_REQUIRES(g_stream_pool_mutex) {
    set_state(slot, StreamState::Captured);
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
    if (status.ok()) {
        slot.reachable.store(false, std::memory_order_relaxed);
        finish_deferred(slot);
        return Fitness::Ready;
    }
    switch (status.code) {
    case GS_ERROR_CAPTURING: return Fitness::Captured;
    case GS_ERROR_STICKY:
    case GS_ERROR_CONTEXT_LOST: return Fitness::Lost;
    default: return Fitness::Busy; // another failure may pass: asked again later
    }
}

void drop(StreamSlot &slot) noexcept {
    finish_deferred(slot);
    set_state(slot, StreamState::Dropped);
}

// Its capture ends with it if the stream began it. If another stream did, through the library, it will end, and the stream
// is asked again later. The end of a capture of other code is not in sight: the stream stays with it.
void keep_captured(StreamSlot &slot) noexcept {
    const CaptureGuard *guard = capture_guard();
    const bool ends = guard && guard->give_up(slot);
    MutexLock lock(g_stream_pool_mutex);
    Pool *pool = find_pool(*slot.device, slot.priority, slot.blocking());
    if (!pool) return; // one-sided: it exists: the slot was in it
    ends ? append_limbo(*pool, slot) : push_captured(*pool, slot);
}

// A used stream that is idle by now, else nullptr. One whose context is lost is dropped.
StreamSlot *reuse_from_limbo(ThreadBlock &thread, Pool &pool) noexcept {
    for (int i = 0; i < kCandidates; ++i) {
        StreamSlot *slot = nullptr;
        {
            MutexLock lock(g_stream_pool_mutex);
            slot = take_limbo(pool);
        }
        if (!slot) return nullptr;
        switch (examine(thread, *slot)) {
        case Fitness::Ready: return slot;
        case Fitness::Lost: drop(*slot); break;
        case Fitness::Captured: keep_captured(*slot); break;
        case Fitness::Busy: {
            MutexLock lock(g_stream_pool_mutex);
            append_limbo(pool, *slot);
            break;
        }
        }
    }
    return nullptr;
}

// A stream is out of its list while it is asked, so that no other thread destroys it.
Status refuse_if_limbo_captures(ThreadBlock &thread, Pool &pool) noexcept {
    const StreamSlot *captured = nullptr;
    int left = 0;
    {
        MutexLock lock(g_stream_pool_mutex);
        captured = pool.captured;
        for (const StreamSlot *slot = pool.limbo_first; slot; slot = slot->next) ++left;
    }
    Status status = kOk;
    for (; captured && status.ok(); captured = captured->next)
        status = refuse_if_capturing(thread, *pool.device, captured->native);
    while (left-- > 0 && status.ok()) {
        StreamSlot *slot = nullptr;
        {
            MutexLock lock(g_stream_pool_mutex);
            slot = take_limbo(pool);
        }
        if (!slot) return kOk;
        if (slot->exported.load(std::memory_order_relaxed))
            status = refuse_if_capturing(thread, *pool.device, slot->native);
        MutexLock lock(g_stream_pool_mutex);
        append_limbo(pool, *slot);
    }
    return status;
}

} // namespace

Status take_lease(ThreadBlock &thread, Device &device, int32_t priority, bool blocking, StreamSlot **out) noexcept {
    Pool *pool = nullptr;
    {
        MutexLock lock(g_stream_pool_mutex);
        pool = find_pool(device, priority, blocking);
        if (!pool) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a stream pool");
        *out = pool->unused;
        if (*out) pool->unused = (*out)->next;
    }
    if (!*out) *out = reuse_from_limbo(thread, *pool);
    return kOk;
}

void return_lease(StreamSlot &slot) noexcept {
    MutexLock lock(g_stream_pool_mutex);
    Pool *pool = find_pool(*slot.device, slot.priority, slot.blocking());
    if (!pool) return; // one-sided: it exists: the slot was leased from it
    if (slot.use.load(std::memory_order_relaxed) != StreamUse::None) {
        append_limbo(*pool, slot);
    } else {
        set_state(slot, StreamState::Unused);
        slot.next = pool->unused;
        pool->unused = &slot;
    }
}

Status refuse_if_pooled_captures(ThreadBlock &thread, const Device &device) noexcept {
    Pool *pool = nullptr;
    {
        MutexLock lock(g_stream_pool_mutex);
        pool = g_pools;
    }
    for (; pool; pool = pool->next) // new pools go to the front
        if (pool->device == &device) GS_TRY(refuse_if_limbo_captures(thread, *pool));
    return kOk;
}

void trim_pools(ThreadBlock &thread) noexcept {
    if (const CaptureGuard *guard = capture_guard()) guard->forget_orphans();
    while (StreamSlot *slot = thread.core ? thread.core->leases.take_any() : nullptr) return_lease(*slot);
    StreamSlot *idle = nullptr;
    StreamSlot *used = nullptr;
    const auto push = [](StreamSlot &slot, StreamSlot *&list) {
        slot.next = list;
        list = &slot;
    };
    {
        MutexLock lock(g_stream_pool_mutex);
        for (Pool *pool = g_pools; pool; pool = pool->next) {
            while (StreamSlot *slot = pool->unused) {
                pool->unused = slot->next;
                push(*slot, idle);
            }
            while (StreamSlot *slot = take_limbo(*pool)) push(*slot, used);
        }
    }
    while (StreamSlot *slot = used) {
        used = slot->next;
        switch (examine(thread, *slot)) {
        case Fitness::Ready: push(*slot, idle); break;
        case Fitness::Busy: return_lease(*slot); break;
        case Fitness::Lost: drop(*slot); break;
        case Fitness::Captured: keep_captured(*slot); break;
        }
    }
    while (StreamSlot *slot = idle) {
        idle = slot->next;
        dismantle_stream(*slot);
    }
}

} // namespace gs
