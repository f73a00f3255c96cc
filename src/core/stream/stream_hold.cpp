// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_hold.hpp"

#include "core/names.hpp"

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

bool end_zombie(StreamSlot &slot) noexcept {
    MutexLock lock(g_stream_hold_mutex);
    return slot.state.load(std::memory_order_relaxed) == StreamState::Zombie && end_if_unheld(slot);
}

} // namespace gs
