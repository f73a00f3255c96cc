// SPDX-License-Identifier: Apache-2.0
#include "core/stream/stream_hold.hpp"

#include "core/thread/current_stream.hpp"

namespace gs {
namespace {

Mutex g_mutex; // every change of StreamSlot::life but the first one

bool is_current_name(const StreamSlot &slot, uint64_t handle) noexcept {
    return slot.handle.load(std::memory_order_seq_cst) == handle;
}

// Life was set to Zombie. Nobody can become a holder unseen any more: those before the barrier are in their tables, those
// after it look at the life and come to the mutex.
bool end_if_unheld(StreamSlot &slot) noexcept GS_REQUIRES(g_mutex) {
    heavy_barrier();
    if (held_by_any_thread(slot)) return false;
    slot.life.store(StreamLife::Ended, std::memory_order_seq_cst);
    slot.handle.exchange(0, std::memory_order_seq_cst);
    return true;
}

// While one thread alone has used the stream, it decides without barrier and lock. Taking the ownership comes first: a
// second thread either shares the stream before, and then this is not our decision, or finds it gone.
bool end_as_sole_owner(ThreadBlock &thread, StreamSlot &slot) noexcept {
    if (slot.owner.load(std::memory_order_relaxed) != thread.id) return false;
    if (thread.core && held_by(*thread.core, slot)) return false;
    if (!claim_slot(slot, thread.id)) return false;
    slot.handle.exchange(0, std::memory_order_seq_cst);
    return true;
}

} // namespace

bool enter_slowly(CoreThread &core, StreamSlot &slot, uint64_t handle) noexcept {
    slot.ever_current.exchange(true, std::memory_order_seq_cst);
    if (slot.users.load(std::memory_order_seq_cst) != 0) return true;
    MutexLock lock(g_mutex);
    if (!is_current_name(slot, handle)) return false;
    switch (slot.life.load(std::memory_order_relaxed)) {
    case StreamLife::Ended: return false;
    case StreamLife::Zombie: return true;
    case StreamLife::Alive: return held_by(core, slot); // its destroy is on the way here, and will find this holder
    }
    return false;
}

bool confirm_zombie(StreamSlot &slot, uint64_t handle) noexcept {
    MutexLock lock(g_mutex);
    return slot.life.load(std::memory_order_relaxed) != StreamLife::Ended && is_current_name(slot, handle);
}

bool retain_held(ThreadBlock &thread, StreamSlot &slot, uint64_t handle) noexcept {
    MutexLock lock(g_mutex);
    if (!is_current_name(slot, handle)) return false;
    switch (slot.life.load(std::memory_order_relaxed)) {
    case StreamLife::Ended: return false;
    case StreamLife::Zombie: break;
    case StreamLife::Alive:
        // Its last destroy is on the way here and will find a user again, provided the caller really holds the stream.
        if (slot.users.load(std::memory_order_seq_cst) == 0 && !(thread.core && held_by(*thread.core, slot)))
            return false;
        break;
    }
    slot.users.fetch_add(1, std::memory_order_seq_cst);
    slot.life.store(StreamLife::Alive, std::memory_order_seq_cst);
    return true;
}

bool end_unless_held(ThreadBlock &thread, StreamSlot &slot) noexcept {
    if (!slot.ever_current.load(std::memory_order_seq_cst)) {
        slot.handle.exchange(0, std::memory_order_seq_cst);
        return true;
    }
    if (end_as_sole_owner(thread, slot)) return true;
    MutexLock lock(g_mutex);
    // A holder may have retained it meanwhile, and even destroyed it again: then the decision is that destroy's.
    if (slot.users.load(std::memory_order_seq_cst) != 0) return false;
    if (slot.life.load(std::memory_order_relaxed) != StreamLife::Alive) return false;
    slot.life.store(StreamLife::Zombie, std::memory_order_seq_cst);
    return end_if_unheld(slot);
}

bool end_zombie(StreamSlot &slot) noexcept {
    MutexLock lock(g_mutex);
    return slot.life.load(std::memory_order_relaxed) == StreamLife::Zombie && end_if_unheld(slot);
}

} // namespace gs
