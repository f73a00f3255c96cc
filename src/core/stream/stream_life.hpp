// SPDX-License-Identifier: Apache-2.0
// References to streams, and the end of a stream's life: from the last destroy to its slot's next use. life.hpp has the
// states, docs/design/lives.md the diagram.
#pragma once

#include "core/slots.hpp"
#include "handle/grace.hpp"

namespace gs {

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

// Recycles the slots that calls in flight have left by now: to their pool, or by destroying them. self: the calling
// thread.
void collect_streams(const ThreadBlock *self) noexcept;
// Also those that have ended since an earlier call began to wait for others.
void collect_all_streams(const ThreadBlock &thread) noexcept;

// gs_trim: destroys the idle driver streams that wait in the pools.
void trim_streams(ThreadBlock &thread) noexcept;

} // namespace gs
