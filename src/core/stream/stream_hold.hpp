// SPDX-License-Identifier: Apache-2.0
// Streams that stay alive because they are current on some thread. Why this is not a count: docs/adr/0003.
//
// A stream that lost its last user while a thread holds it is a zombie: its handle stays valid until the last holder lets
// go. Holders write their tables with plain stores. A thread that ends a stream first sets its state, passes a heavy
// barrier and then looks: either it sees the holder's entry, or the holder, which reads the state after its store, sees
// the state.
//
// While a stream has a handle, its state changes under one mutex. The exceptions are streams that were never current and
// streams that one thread alone has used: their last destroy ends them without the mutex.
#pragma once

#include "core/slots.hpp"
#include "core/thread/thread_state.hpp"
#include "handle/grace.hpp"

namespace gs {

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

// Takes a reference to a stream without users, for a thread that holds it, or to a zombie.
bool retain_held(ThreadBlock &thread, StreamSlot &slot, uint64_t handle) noexcept;

// `users` has just become 0, and the caller's mark still protects the slot. True: the stream has ended. The slot is the
// caller's to dispose of, once its mark has ended.
bool end_unless_held(ThreadBlock &thread, StreamSlot &slot) noexcept;
// Ends a zombie that no thread holds any more. True: it has ended, and the slot is the caller's.
bool end_zombie(StreamSlot &slot) noexcept;

} // namespace gs
