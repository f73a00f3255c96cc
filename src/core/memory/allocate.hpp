// SPDX-License-Identifier: Apache-2.0
// Allocating in stream order. Under the caller's CallMark, in a stream whose device is healthy and which counts as used.
#pragma once

#include "core/hooks/birth_notes.hpp"
#include "core/memory/allocation_turn.hpp"
#include "core/memory/device_memory.hpp"
#include "core/memory/kept_blocks.hpp"

namespace gs {

// Of allocate(): what the stream's cache has not, and in a stream that asks first.
Status allocate_slowly(ThreadBlock &thread, PoolSlot &pool, StreamSlot &stream, size_t bytes, AllocationTurn *turn,
                       void **out) noexcept;
// bytes is not 0, *out is nullptr and stays so if the allocation is put off (AllocationTurn). The pool does not end during the call.
[[gnu::always_inline]] inline Status allocate(ThreadBlock &thread, PoolSlot &pool, StreamSlot &stream, size_t bytes,
                                              AllocationTurn *turn, void **out) noexcept {
    if (asks_first(stream) || !take_kept(pool, stream, bytes, out))
        return allocate_slowly(thread, pool, stream, bytes, turn, out);
    note_block_birth(memory_of(*stream.device), *out);
    return kOk;
}

} // namespace gs
