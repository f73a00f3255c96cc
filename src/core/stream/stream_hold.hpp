// SPDX-License-Identifier: Apache-2.0
// Streams that stay alive because they are current on some thread. Why this is not a count: docs/adr/0003.
//
// A stream that lost its last user while a thread holds it is a zombie: its handle stays valid until the last holder lets
// go. Holders write their tables with plain stores; whoever ends a stream first sets its life, passes a heavy barrier
// and then looks, so that either it sees the holder's entry or the holder, looking at the life after its store, sees it.
#pragma once

#include "core/slots.hpp"
#include "handle/grace.hpp"

namespace gs {

Status stream_was_destroyed(uint64_t handle) noexcept __attribute__((cold)); // while the call was on its way

struct CoreThread;

// Before and after the entry is stored, under the mark of the call that found the handle. False: the stream was
// destroyed meanwhile; the entry must not stay.
//
// Destroy takes `users` to 0 and then reads ever_current; entering sets ever_current and then reads `users`. A flag that
// is already set proves nothing by itself: another thread may have set it after destroy had looked.
bool enter_slowly(CoreThread &core, StreamSlot &slot, uint64_t handle) noexcept __attribute__((cold));
inline bool enter_current(CoreThread &core, StreamSlot &slot, uint64_t handle) noexcept {
    if (__builtin_expect(
            slot.ever_current.load(std::memory_order_seq_cst) && slot.users.load(std::memory_order_seq_cst) != 0, 1))
        return true;
    return enter_slowly(core, slot, handle);
}
bool confirm_zombie(StreamSlot &slot, uint64_t handle) noexcept __attribute__((cold));
inline bool confirm_current(StreamSlot &slot, uint64_t handle) noexcept {
    light_barrier();
    return __builtin_expect(slot.life.load(std::memory_order_seq_cst) == StreamLife::Alive, 1) ||
           confirm_zombie(slot, handle);
}

// A reference to a stream without users: for the thread that holds it, or of a zombie.
bool retain_held(ThreadBlock &thread, StreamSlot &slot, uint64_t handle) noexcept;

// `users` just became 0 and the caller's mark still protects the slot. True: the handle is cleared and the slot is the
// caller's to dispose of, once its mark has ended.
bool end_unless_held(ThreadBlock &thread, StreamSlot &slot) noexcept;
// True when it was a zombie that nobody holds any more: the handle is cleared, the slot is the caller's.
bool end_zombie(StreamSlot &slot) noexcept;

} // namespace gs
