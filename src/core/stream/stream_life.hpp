// SPDX-License-Identifier: Apache-2.0
// References to streams, and the end of a stream's life: from the last destroy to its slot's next use. life.hpp has the
// states, docs/design/lives.md the diagram.
#pragma once

#include "core/slots.hpp"
#include "core/thread/thread_state.hpp"
#include "handle/grace.hpp"

namespace gs {

// Streams that stay alive because they are current on some thread. Why this is not a count: docs/adr/0003.
//
// A stream that lost its last user while a thread holds it is a zombie: its handle stays valid until the last holder lets
// go. Holders write their tables with plain stores. A thread that ends a stream first sets its state, passes a heavy
// barrier and then looks. Either it sees the holder's entry, or the holder, which reads the state after its store, sees
// the state.
//
// While a stream has a handle, its state changes under one mutex. The exceptions are streams that were never current and
// streams that one thread alone has used: their last destroy ends them without the mutex.

// The stream was destroyed after the call had found its handle.
Status stream_was_destroyed(uint64_t handle) noexcept __attribute__((cold));

// enter_current runs before the entry is stored, confirm_current after it, both under the mark of the call that found the
// handle. False: the stream was destroyed in the meantime; the entry must not stay.
//
// Destroy takes `users` to 0 and then reads ever_current; entering sets ever_current and then reads `users`. A flag that
// is already set proves nothing by itself: another thread may have set it after destroy had read it.
bool enter_slowly(CoreThread &core, StreamSlot &slot, uint64_t handle) noexcept __attribute__((cold));
inline bool enter_current(CoreThread &core, StreamSlot &slot, uint64_t handle) noexcept {
    if (slot.ever_current.load(std::memory_order_seq_cst) && slot.users.load(std::memory_order_seq_cst) != 0)
        return true;
    return enter_slowly(core, slot, handle);
}
bool confirm_slowly(StreamSlot &slot, uint64_t handle) noexcept __attribute__((cold));
inline bool confirm_current(StreamSlot &slot, uint64_t handle) noexcept {
    light_barrier();
    return slot.state.load(std::memory_order_seq_cst) == StreamState::Alive || confirm_slowly(slot, handle);
}

Status retain_stream(ThreadBlock &thread, uint64_t handle) noexcept;
Status release_stream(ThreadBlock &thread, uint64_t handle) noexcept;

// The same at a thread's exit, where no driver may be called: the next create, destroy or trim does the rest.
void release_stream_at_thread_exit(ThreadBlock &thread, uint64_t handle) noexcept;

// Called after a thread let go of a stream that it had current: ends the stream if it was the last holder of a zombie.
void settle_zombie(StreamSlot &slot) noexcept __attribute__((cold));
inline void settle_if_zombie(StreamSlot *slot) noexcept {
    if (!slot) return;
    light_barrier(); // either we see the zombie, or the thread that makes it one sees that we let go
    if (slot->state.load(std::memory_order_seq_cst) == StreamState::Zombie) settle_zombie(*slot);
}
// The same at a thread's exit, where no driver may be called: the next create, destroy or trim does the rest.
void settle_at_thread_exit(StreamSlot *slot) noexcept;

// Recycles the slots that calls in flight have left by now: to their pool, or by destroying them.
void collect_streams() noexcept;
// Also those that have ended since an earlier call began to wait for others.
void collect_all_streams() noexcept;

// gs_trim: destroys the idle driver streams that wait in the pools.
void trim_streams(ThreadBlock &thread) noexcept;

} // namespace gs
