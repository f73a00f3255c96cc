// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_life.hpp"

#include <sched.h>

#include "base/testing.hpp"
#include "core/lookup.hpp"
#include "core/names.hpp"
#include "core/stream/native_map.hpp"
#include "core/stream/stream_calls.hpp"
#include "core/stream/stream_hooks.hpp"
#include "core/stream/stream_slots.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

Mutex g_stream_hold_mutex;

bool is_current_name(const StreamSlot &slot, uint64_t handle) noexcept {
    return slot.handle.load(std::memory_order_seq_cst) == handle;
}

void end(StreamSlot &slot) noexcept {
    set_state(slot, StreamState::Ended);
    slot.handle.exchange(0, std::memory_order_seq_cst);
}

// The stream is a zombie. A thread that became a holder before the barrier is seen in its table; one that becomes a holder
// after it reads the state and comes to the mutex.
bool end_if_unheld(StreamSlot &slot) noexcept GS_REQUIRES(g_stream_hold_mutex) {
    heavy_barrier();
    if (held_by_any_thread(slot)) return false;
    end(slot);
    return true;
}

// While one thread alone has used the stream, it decides without barrier and mutex. It claims the ownership first: a second
// thread either shares the stream before that, and then the claim fails, or finds the stream gone.
bool end_as_sole_owner(ThreadBlock &thread, StreamSlot &slot) noexcept {
    if (slot.owner.load(std::memory_order_relaxed) != thread.id) return false;
    if (thread.core && held_by(*thread.core, slot)) return false;
    if (!claim_slot(slot, thread.id)) return false;
    end(slot);
    return true;
}

} // namespace

Status stream_was_destroyed(uint64_t handle) noexcept {
    return fail(GS_ERROR_INVALID_HANDLE, "stream %s was destroyed during the call", describe_object(handle).text);
}

bool enter_slowly(CoreThread &core, StreamSlot &slot, uint64_t handle) noexcept {
    slot.ever_current.exchange(true, std::memory_order_seq_cst);
    if (slot.users.load(std::memory_order_seq_cst) != 0) return true;
    MutexLock lock(g_stream_hold_mutex);
    if (!is_current_name(slot, handle)) return false;
    switch (slot.state.load(std::memory_order_relaxed)) {
    case StreamState::Zombie: return true;
    case StreamState::Alive: return held_by(core, slot); // its destroy is about to come here and will find this holder
    default: return false;
    }
}

bool confirm_slowly(StreamSlot &slot, uint64_t handle) noexcept {
    MutexLock lock(g_stream_hold_mutex);
    if (!is_current_name(slot, handle)) return false;
    const StreamState state = slot.state.load(std::memory_order_relaxed);
    return state == StreamState::Alive || state == StreamState::Zombie;
}

namespace {

// Takes a reference to a stream without users, for a thread that holds it, or to a zombie.
bool retain_held(ThreadBlock &thread, StreamSlot &slot, uint64_t handle) noexcept {
    MutexLock lock(g_stream_hold_mutex);
    if (!is_current_name(slot, handle)) return false;
    switch (slot.state.load(std::memory_order_relaxed)) {
    case StreamState::Zombie:
        slot.users.fetch_add(1, std::memory_order_seq_cst);
        set_state(slot, StreamState::Alive, std::memory_order_seq_cst);
        return true;
    case StreamState::Alive:
        // Its last destroy is about to come here and will find a user again, provided that the caller holds the stream.
        if (slot.users.load(std::memory_order_seq_cst) == 0 && !(thread.core && held_by(*thread.core, slot)))
            return false;
        slot.users.fetch_add(1, std::memory_order_seq_cst);
        return true;
    default: return false;
    }
}

// `users` has just become 0, and the caller's mark still protects the slot. True: the stream has ended. The slot is the
// caller's to dispose of, once its mark has ended.
bool end_unless_held(ThreadBlock &thread, StreamSlot &slot) noexcept {
    if (!slot.ever_current.load(std::memory_order_seq_cst)) {
        end(slot);
        return true;
    }
    if (end_as_sole_owner(thread, slot)) return true;
    MutexLock lock(g_stream_hold_mutex);
    // A holder may have retained it in the meantime, and even destroyed it again: then that destroy decides.
    if (slot.users.load(std::memory_order_seq_cst) != 0) return false;
    if (slot.state.load(std::memory_order_relaxed) != StreamState::Alive) return false;
    set_state(slot, StreamState::Zombie, std::memory_order_seq_cst);
    return end_if_unheld(slot);
}

// Ends a zombie that no thread holds any more. True: it has ended, and the slot is the caller's.
bool end_zombie(StreamSlot &slot) noexcept {
    MutexLock lock(g_stream_hold_mutex);
    return slot.state.load(std::memory_order_relaxed) == StreamState::Zombie && end_if_unheld(slot);
}

constexpr int kRounds = 100; // of waiting for calls in flight, for streams that should end now

Mutex g_stream_life_mutex;
Reclaimer<StreamSlot> g_ended_streams GS_GUARDED_BY(g_stream_life_mutex);
std::atomic<bool> g_any_retired{false};

// No call can be using the slot any more.
void recycle(StreamSlot &slot) noexcept {
    GS_YIELD(BeforeReuse);
    drop_kept_memory(slot);
    const bool foreign = slot.foreign.load(std::memory_order_acquire); // also one that was given up
    if (!foreign && (slot.kind == StreamKind::Leased || slot.kind == StreamKind::Dedicated)) {
        PartitionSlot *partition = slot.partition;
        if (slot.kind == StreamKind::Leased)
            return_lease(slot); // with its deferred functions, which run when it is found to be idle
        else
            end_driver_stream(slot);
        if (partition) leave_partition(*partition);
        return;
    }
    flush_last_deferred(slot);
    drop_wait_event(slot);
    const ReleaseFunction release = slot.release;
    give_bare_stream(slot);
    if (release) release(); // outside of all locks: the slot is no longer ours
}

void add_retired(StreamSlot &slot) noexcept {
    MutexLock lock(g_stream_life_mutex);
    set_state(slot, StreamState::Retired);
    g_ended_streams.retire(slot);
    g_any_retired.store(true, std::memory_order_relaxed);
}

void retire(StreamSlot &slot, bool inside_call) noexcept {
    // Once it is in the list, another thread may reuse it.
    const bool lease = slot.kind == StreamKind::Leased && !slot.foreign.load(std::memory_order_relaxed);
    const bool keeps_memory = slot.front.load(std::memory_order_relaxed) != nullptr;
    const bool may_wait = inside_call || (lease && !slot.partition && !keeps_memory);
    add_retired(slot);
    // Leases can wait for the next create. The others end something outside the library, as the last stream of a partition
    // does, or keep memory that nothing else can give back, so they should go now. A few rounds suffice unless a call hangs
    // in the driver; then the next create or destroy finishes the job.
    if (may_wait) return;
    for (int round = 0; round < kRounds && g_any_retired.load(std::memory_order_relaxed); ++round) {
        collect_streams();
        if (g_any_retired.load(std::memory_order_relaxed)) sched_yield();
    }
}

// The stream has ended and the slot is ours. self: the calling thread, nullptr if it has no block.
void dispose(StreamSlot &slot, const ThreadBlock *self) noexcept {
    if (slot.exported.load(std::memory_order_relaxed)) forget_native(slot);
    const uint32_t owner = slot.owner.load(std::memory_order_seq_cst);
    const bool inside_call = self && is_inside_call(*self);
    const bool sole = self && !inside_call && (owner == self->id || owner == kNoOwner);
    if (!sole) {
        // Its owner may end the driver's stream as soon as this call returns, and the slot may be recycled later.
        if (slot.kind == StreamKind::External || slot.foreign.load(std::memory_order_relaxed))
            flush_last_deferred(slot);
        retire(slot, inside_call);
        return;
    }
    recycle(slot);
}

// *out_ended: the stream if this was its last reference and no thread holds it; the slot is then the caller's.
[[gnu::always_inline]] inline Status drop_reference(ThreadBlock &thread, uint64_t handle,
                                                    StreamSlot **out_ended) noexcept {
    CallMark mark(thread);
    StreamSlot *slot = nullptr;
    GS_TRY(required_stream(thread, handle, &slot));
    if (slot->immortal()) return kOk;
    const uint64_t users = drop_user(*slot);
    if (users == 0)
        return fail(GS_ERROR_INVALID_HANDLE, "stream %s has no reference left to give back",
                    describe_object(handle).text);
    if (users == 1 && end_unless_held(thread, *slot)) *out_ended = slot;
    return kOk;
}

} // namespace

Status retain_stream(ThreadBlock &thread, uint64_t handle) noexcept {
    CallMark mark(thread);
    StreamSlot *slot = nullptr;
    GS_TRY(required_stream(thread, handle, &slot));
    if (slot->immortal() || add_user(*slot)) return kOk;
    // Borrowed from a thread's current stream after its owners let go: may be owned again.
    if (retain_held(thread, *slot, handle)) return kOk;
    return fail(GS_ERROR_INVALID_HANDLE, "stream %s was destroyed", describe_object(handle).text);
}

Status release_stream(ThreadBlock &thread, uint64_t handle) noexcept {
    if (g_any_retired.load(std::memory_order_relaxed)) collect_streams();
    StreamSlot *ended = nullptr;
    GS_TRY(drop_reference(thread, handle, &ended));
    // Outside the mark: a release function of the caller may run in here.
    if (ended) dispose(*ended, &thread);
    return kOk;
}

void release_stream_at_thread_exit(ThreadBlock &thread, uint64_t handle) noexcept {
    StreamSlot *ended = nullptr;
    drop_reference(thread, handle, &ended).ignore(); // the thread owns the reference
    if (!ended) return;
    if (ended->exported.load(std::memory_order_relaxed)) forget_native(*ended);
    add_retired(*ended);
}

void settle_zombie(StreamSlot &slot) noexcept {
    if (end_zombie(slot)) dispose(slot, this_thread());
}

void settle_at_thread_exit(StreamSlot *slot) noexcept {
    if (!slot) return;
    light_barrier(); // as in settle_if_zombie; see model stream_is_left_at_exit
    if (slot->state.load(std::memory_order_seq_cst) != StreamState::Zombie || !end_zombie(*slot)) return;
    if (slot->exported.load(std::memory_order_relaxed)) forget_native(*slot);
    add_retired(*slot);
}

void collect_streams() noexcept {
    FreeList<StreamSlot> done;
    {
        MutexLock lock(g_stream_life_mutex);
        g_ended_streams.begin();
        done = g_ended_streams.take_over();
        if (g_ended_streams.empty()) g_any_retired.store(false, std::memory_order_relaxed);
    }
    while (StreamSlot *slot = done.pop()) recycle(*slot);
}

void collect_all_streams() noexcept {
    collect_streams(); // ends the period that has begun
    collect_streams(); // those that it did not cover
}

void trim_streams(ThreadBlock &thread) noexcept {
    collect_all_streams();
    flush_all_deferred(thread);
    trim_pools(thread);
}

} // namespace gs
