// SPDX-License-Identifier: Apache-2.0
#include "core/stream/shared_streams.hpp"

#include <new>

#include "base/last_error.hpp"
#include "base/log.hpp"
#include "core/stream/driver_streams.hpp"
#include "core/stream/stream_slots.hpp"

namespace gs {
namespace {

constexpr int kShared = 32;

struct SharedPool {
    Device *device;
    int32_t priority;
    bool blocking;
    SharedPool *next; // new pools go to the front
    SharedStream streams[kShared] = {};
    int turn = 0;
};

Mutex g_shared_streams_mutex;
SharedPool *g_shared_pools GS_GUARDED_BY(g_shared_streams_mutex) = nullptr;

SharedPool *find_shared_pool(const Device &device, int32_t priority, bool blocking) noexcept
    GS_REQUIRES(g_shared_streams_mutex) {
    for (SharedPool *pool = g_shared_pools; pool; pool = pool->next)
        if (pool->device == &device && pool->priority == priority && pool->blocking == blocking) return pool;
    return nullptr;
}

// The caller has another stream: a failure concerns only the log.
void destroy_surplus(const Device &device, uintptr_t native) noexcept {
    const Status status = device.backend->stream_destroy({device.ordinal, native});
    if (status.ok()) return;
    log_message(GS_LOG_WARNING, "destroying a stream of %s device %d failed: %s: %s", device.backend->name(),
                device.ordinal, status_name(status.code), pending_text());
}

} // namespace

Status next_shared_stream(ThreadBlock &thread, Device &device, int32_t priority, bool blocking,
                          SharedStream *out) noexcept {
    SharedPool *pool = nullptr;
    int turn = 0;
    {
        MutexLock lock(g_shared_streams_mutex);
        pool = find_shared_pool(device, priority, blocking);
        if (!pool) {
            pool = new (std::nothrow) SharedPool{&device, priority, blocking, g_shared_pools};
            if (!pool) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a pool of shared streams");
            g_shared_pools = pool;
        }
        turn = pool->turn;
        pool->turn = (turn + 1) % kShared;
        if (pool->streams[turn].native != 0) {
            *out = pool->streams[turn];
            return kOk;
        }
    }
    StreamNative made{};
    GS_TRY(device.backend->stream_create({device.ordinal, priority, blocking}, &made));
    bool surplus = false;
    {
        MutexLock lock(g_shared_streams_mutex);
        SharedStream &place = pool->streams[turn];
        surplus = place.native != 0; // 32 other creates have passed in the meantime
        // one-sided: false only after 32 other creates at once
        if (!surplus) place = {made.native, new_stream_uid(), false};
        *out = place;
    }
    if (surplus) destroy_surplus(device, made.native);
    thread.counters.stream_pool_misses.add();
    return kOk;
}

void note_shared_given_out(const StreamSlot &slot) noexcept {
    MutexLock lock(g_shared_streams_mutex);
    SharedPool *pool = find_shared_pool(*slot.device, slot.priority, slot.blocking());
    if (!pool) return; // one-sided: it exists: the stream came from it
    for (SharedStream &shared : pool->streams)
        if (shared.native == slot.native) shared.given_out = true;
}

Status refuse_if_shared_captures(ThreadBlock &thread, const Device &device) noexcept {
    SharedPool *pool = nullptr;
    {
        MutexLock lock(g_shared_streams_mutex);
        pool = g_shared_pools;
    }
    for (; pool; pool = pool->next) {
        if (pool->device != &device) continue;
        for (const SharedStream &shared : pool->streams) {
            SharedStream now{};
            {
                MutexLock lock(g_shared_streams_mutex);
                now = shared;
            }
            if (now.given_out) GS_TRY(refuse_if_capturing(thread, device, now.native));
        }
    }
    return kOk;
}

} // namespace gs
