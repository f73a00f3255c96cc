// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_slots.hpp"

#include <new>
#include <utility>

#include "base/log.hpp"
#include "base/status.hpp"
#include "core/event/event_calls.hpp"
#include "core/names.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/stream_calls.hpp"
#include "core/stream/stream_hooks.hpp"

namespace gs {

Status make_driver_stream(Device &device, StreamKind kind, int32_t priority, uint32_t flags, PartitionSlot *partition,
                          StreamSlot **out) noexcept {
    StreamSlot *slot = take_bare_stream();
    if (!slot) return no_slot(Kind::Stream);
    StreamNative made{};
    const bool blocking = (flags & GS_STREAM_BLOCKING) != 0;
    const uintptr_t part = partition ? partition->made.native : 0;
    const Status status = device.backend->stream_create({device.ordinal, priority, blocking, part}, &made);
    if (!status.ok()) {
        give_bare_stream(*slot);
        return status;
    }
    bind_slot(*slot, device,
              {.kind = kind,
               .native = made.native,
               .uid = new_stream_uid(),
               .priority = priority,
               .flags = flags,
               .used = kind != StreamKind::Leased});
    slot->partition = partition;
    if (partition) hold_partition(*partition);
    *out = slot;
    return kOk;
}

void dismantle_stream(StreamSlot &slot) noexcept {
    const Status status = slot.backend->stream_destroy(slot.ref());
    if (!status.ok())
        log_message(GS_LOG_WARNING, "destroying a stream of %s device %d failed: %s: %s", slot.backend->name(),
                    slot.ordinal, status_name(status.code), pending_text());
    drop_wait_event(slot);
    PartitionSlot *partition = std::exchange(slot.partition, nullptr);
    give_bare_stream(slot);
    // A stream that the driver may still have must not outlive its partition.
    if (partition && status.ok()) release_partition(*partition);
}

void end_driver_stream(StreamSlot &slot) noexcept {
    flush_last_deferred(slot);
    if (const CaptureGuard *guard = capture_guard()) guard->give_up(slot);
    dismantle_stream(slot);
}

Status refuse_if_capturing(ThreadBlock &thread, const Device &device, uintptr_t native) noexcept {
    bool capturing = false;
    GS_TRY(device.backend->stream_is_capturing(thread, {device.ordinal, native}, &capturing));
    if (!capturing) return kOk;
    return fail(GS_ERROR_CAPTURING, "the driver's stream %#llx of the device is being captured",
                static_cast<unsigned long long>(native));
}

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

Status make_wait_event(StreamSlot &stream, uintptr_t *out) noexcept {
    uintptr_t made = 0;
    GS_TRY(take_native_event(*stream.device, 0, &made));
    uintptr_t known = 0;
    *out = made;
    if (stream.wait_event.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return kOk;
    *out = known; // another thread was faster
    give_native_event(*stream.device, 0, made);
    return kOk;
}

void drop_wait_event(StreamSlot &slot) noexcept {
    const uintptr_t native = slot.wait_event.exchange(0, std::memory_order_relaxed);
    if (native) give_native_event(*slot.device, 0, native);
}

} // namespace gs
