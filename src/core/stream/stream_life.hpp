// SPDX-License-Identifier: Apache-2.0
// The life of a stream slot: publishing, references, zombies, and what happens to it once nobody can be using it.
#pragma once

#include "core/slots.hpp"
#include "handle/grace.hpp"

namespace gs {

// The device's immortal default and per-thread stream.
Status add_default_streams(Device &device) noexcept;

// A dead slot without a driver stream; nullptr: memory or handles are out.
StreamSlot *take_bare_stream() noexcept;
void give_bare_stream(StreamSlot &slot) noexcept;
// Destroys the driver stream of a dead slot; a failure is logged.
void dismantle_stream(StreamSlot &slot) noexcept;

// Gives the filled slot a new handle with one caller's reference. False: its generations are used up (it is dropped).
bool publish_stream(ThreadBlock &thread, StreamSlot &slot, uint64_t *out_handle) noexcept;

// A live slot for the number, found under the caller's CallMark; nullptr: no such stream.
inline StreamSlot *find_stream(const ThreadBlock &thread, uint64_t handle) noexcept {
    StreamSlot *slot = stream_slots().find(handle);
    if (__builtin_expect(!slot || !note_use(*slot, handle, thread.id), 0)) return nullptr;
    return slot;
}

Status retain_stream(ThreadBlock &thread, uint64_t handle) noexcept;
Status release_stream(ThreadBlock &thread, uint64_t handle) noexcept;

// A thread let go of a stream it had current: if no caller has a reference either, it goes now.
void settle_zombie(StreamSlot &slot) noexcept __attribute__((cold));
inline void settle_if_zombie(StreamSlot *slot) noexcept {
    if (!slot) return;
    light_barrier(); // either we see that it is a zombie, or whoever makes it one sees that we let go
    if (__builtin_expect(slot->life.load(std::memory_order_seq_cst) == StreamLife::Zombie, 0)) settle_zombie(*slot);
}

// The same from a thread's exit, where no driver may be called: the rest is left to the next create, destroy or trim.
void settle_at_thread_exit(StreamSlot *slot) noexcept;

// Streams whose calls in flight have left by now go to their pool, or are destroyed. self: the calling thread.
void collect_streams(const ThreadBlock *self) noexcept;

// The unique number of a new driver stream; kUnknownStream once they are used up.
uint32_t new_stream_uid() noexcept;

} // namespace gs
