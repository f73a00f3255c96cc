// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_life.hpp"

#include <sched.h>

#include "base/last_error.hpp"
#include "base/log.hpp"
#include "base/testing.hpp"
#include "core/event/spare_events.hpp"
#include "core/stream/native_map.hpp"
#include "core/stream/stream_hold.hpp"
#include "core/stream/stream_pool.hpp"
#include "core/thread/current_stream.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

Mutex g_mutex; // the lists below
StreamSlot *g_bare GS_GUARDED_BY(g_mutex) = nullptr;
StreamSlot *g_retired GS_GUARDED_BY(g_mutex) = nullptr;
StreamSlot *g_waiting GS_GUARDED_BY(g_mutex) = nullptr;
Grace g_grace GS_GUARDED_BY(g_mutex);
std::atomic<bool> g_any_retired{false};

std::atomic<uint32_t> g_next_uid{1};

void drop_wait_event(StreamSlot &slot) noexcept {
    const uintptr_t native = slot.wait_event.exchange(0, std::memory_order_relaxed);
    if (native) give_native_event(*slot.device, 0, native);
}

void destroy_driver_stream(StreamSlot &slot) noexcept {
    const Status status = slot.backend->stream_destroy(slot.ref());
    if (!status.ok())
        log_message(GS_LOG_WARNING, "destroying a stream of %s device %d failed: %s: %s", slot.backend->name(),
                    slot.ordinal, status_name(status.code), pending_text());
}

} // namespace

void dismantle_stream(StreamSlot &slot) noexcept {
    destroy_driver_stream(slot);
    drop_wait_event(slot);
    give_bare_stream(slot);
}

namespace {

// Nobody can be using the slot any more.
void recycle(StreamSlot &slot) noexcept {
    GS_YIELD(BeforeReuse);
    if (slot.kind == StreamKind::Leased) {
        return_lease(slot);
        return;
    }
    if (slot.kind == StreamKind::Dedicated) {
        dismantle_stream(slot);
        return;
    }
    drop_wait_event(slot);
    void (*release)(void *) = slot.release;
    void *arg = slot.release_arg;
    give_bare_stream(slot);
    if (release) release(arg); // no lock is held, and the slot is no longer ours
}

void add_retired(StreamSlot &slot) noexcept {
    MutexLock lock(g_mutex);
    slot.next = g_retired;
    g_retired = &slot;
    g_any_retired.store(true, std::memory_order_relaxed);
}

void retire(StreamSlot &slot, const ThreadBlock *self) noexcept {
    const bool lease = slot.kind == StreamKind::Leased; // once it is in the list, another thread may reuse it
    add_retired(slot);
    // Leases can wait for the next create. The others end something of the outside world, so they should go now; a few
    // rounds suffice unless a call hangs in the driver, and then the next create or destroy finishes the job.
    if (lease) return;
    for (int round = 0; round < 100 && g_any_retired.load(std::memory_order_relaxed); ++round) {
        collect_streams(self);
        if (g_any_retired.load(std::memory_order_relaxed)) sched_yield();
    }
}

// No caller has a reference and no thread has it current: the number stops being a handle.
// The handle is cleared and the slot is ours.
void dispose(StreamSlot &slot, const ThreadBlock *self) noexcept {
    if (slot.exported.load(std::memory_order_relaxed)) forget_native(slot);
    const uint32_t owner = slot.owner.load(std::memory_order_seq_cst);
    const bool sole = self && (owner == self->id || owner == kNobody);
    if (sole && slot.kind == StreamKind::Leased && self->core && self->core->leases.give(slot)) return;
    if (sole || GS_BUG(ReuseWithoutGrace))
        recycle(slot);
    else
        retire(slot, self);
}

} // namespace

Status add_default_streams(Device &device) noexcept {
    StreamSlot **places[] = {&device.default_stream, &device.per_thread_stream};
    for (StreamSlot **place : places) {
        const bool per_thread = place == &device.per_thread_stream;
        StreamSlot *slot = take_bare_stream();
        if (!slot) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the default streams");
        slot->device = &device;
        slot->backend = device.backend;
        slot->health = device.health;
        slot->ordinal = device.ordinal;
        slot->native = per_thread ? kNativePerThreadStream : kNativeDefaultStream;
        slot->kind = per_thread ? StreamKind::PerThread : StreamKind::Default;
        slot->flags = GS_STREAM_BLOCKING;
        // The slot may have served another stream before.
        slot->uid = kUnknownStream;
        slot->priority = 0;
        slot->used.store(false, std::memory_order_relaxed);
        slot->exported.store(false, std::memory_order_relaxed);
        slot->ever_current.store(false, std::memory_order_relaxed);
        slot->life.store(StreamLife::Alive, std::memory_order_relaxed);
        slot->owner.store(kEverybody, std::memory_order_relaxed);
        slot->users.store(1, std::memory_order_relaxed);
        slot->handle.store(stream_slots().next_handle(*slot, static_cast<uint32_t>(device.kind)),
                           std::memory_order_release);
        *place = slot;
    }
    return kOk;
}

StreamSlot *take_bare_stream() noexcept {
    prepare_marks();
    {
        MutexLock lock(g_mutex);
        if (StreamSlot *slot = g_bare) {
            g_bare = slot->next;
            return slot;
        }
    }
    StreamSlot *fresh = nullptr;
    return stream_slots().take_fresh(&fresh, 1) == 1 ? fresh : nullptr;
}

void give_bare_stream(StreamSlot &slot) noexcept {
    slot.release = nullptr;
    slot.release_arg = nullptr;
    MutexLock lock(g_mutex);
    slot.next = g_bare;
    g_bare = &slot;
}

bool publish_stream(ThreadBlock &thread, StreamSlot &slot, uint64_t *out_handle) noexcept {
    const uint64_t handle = stream_slots().next_handle(slot, static_cast<uint32_t>(slot.device->kind));
    if (handle == 0) return false;
    slot.ever_current.store(false, std::memory_order_relaxed);
    slot.life.store(StreamLife::Alive, std::memory_order_relaxed);
    slot.owner.store(thread.id, std::memory_order_relaxed);
    slot.users.store(1, std::memory_order_relaxed);
    slot.handle.store(handle, std::memory_order_release);
    *out_handle = handle;
    return true;
}

Status retain_stream(ThreadBlock &thread, uint64_t handle) noexcept {
    CallMark mark(thread);
    StreamSlot *slot = find_stream(thread, handle);
    if (!slot)
        return fail(GS_ERROR_INVALID_HANDLE, "stream %#llx is not a live stream",
                    static_cast<unsigned long long>(handle));
    if (slot->immortal()) return kOk;
    uint32_t users = slot->users.load(std::memory_order_relaxed);
    while (users != 0)
        if (slot->users.compare_exchange_weak(users, users + 1, std::memory_order_seq_cst)) return kOk;
    // Borrowed from a thread's current stream after its owners let go: may be owned again.
    if (retain_held(thread, *slot, handle)) return kOk;
    return fail(GS_ERROR_INVALID_HANDLE, "stream %#llx was destroyed", static_cast<unsigned long long>(handle));
}

Status release_stream(ThreadBlock &thread, uint64_t handle) noexcept {
    if (g_any_retired.load(std::memory_order_relaxed)) collect_streams(&thread);
    StreamSlot *slot = nullptr;
    bool ended = false;
    {
        CallMark mark(thread);
        slot = find_stream(thread, handle);
        if (!slot)
            return fail(GS_ERROR_INVALID_HANDLE, "stream %#llx is not a live stream",
                        static_cast<unsigned long long>(handle));
        if (slot->immortal()) return kOk;
        uint32_t users = slot->users.load(std::memory_order_relaxed);
        do {
            if (users == 0)
                return fail(GS_ERROR_INVALID_HANDLE, "stream %#llx has no reference left to give back",
                            static_cast<unsigned long long>(handle));
        } while (!slot->users.compare_exchange_weak(users, users - 1, std::memory_order_seq_cst));
        ended = users == 1 && end_unless_held(thread, *slot);
    }
    // Outside the mark: a release function of the caller may run in here.
    if (ended) dispose(*slot, &thread);
    return kOk;
}

void settle_zombie(StreamSlot &slot) noexcept {
    if (end_zombie(slot)) dispose(slot, this_thread());
}

void settle_at_thread_exit(StreamSlot *slot) noexcept {
    if (!slot || slot->life.load(std::memory_order_seq_cst) != StreamLife::Zombie || !end_zombie(*slot)) return;
    if (slot->exported.load(std::memory_order_relaxed)) forget_native(*slot);
    add_retired(*slot);
}

void collect_streams(const ThreadBlock *self) noexcept {
    StreamSlot *done = nullptr;
    {
        MutexLock lock(g_mutex);
        if (!g_waiting && g_retired) {
            g_waiting = g_retired;
            g_retired = nullptr;
            g_grace.begin(self);
        }
        if (g_waiting && g_grace.over()) {
            done = g_waiting;
            g_waiting = nullptr;
        }
        if (!g_waiting && !g_retired) g_any_retired.store(false, std::memory_order_relaxed);
    }
    while (StreamSlot *slot = done) {
        done = slot->next;
        if (slot->pins.load(std::memory_order_seq_cst) != 0) {
            add_retired(*slot); // a blocking call is still inside
        } else {
            recycle(*slot);
        }
    }
}

uint32_t new_stream_uid() noexcept {
    uint32_t uid = g_next_uid.load(std::memory_order_relaxed);
    do {
        if (uid > kLastStreamUid) return kUnknownStream;
    } while (!g_next_uid.compare_exchange_weak(uid, uid + 1, std::memory_order_relaxed));
    return uid;
}

} // namespace gs
