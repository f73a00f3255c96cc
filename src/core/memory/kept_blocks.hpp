// SPDX-License-Identifier: Apache-2.0
// The two usual ways of a block, which call no driver: out of the front cache of a stream, and back into it. Each takes the
// lock of the device's memory once. What cannot go this way goes by allocate.cpp and free.cpp.
#pragma once

#include "core/memory/device_memory.hpp"
#include "core/stream/captured.hpp"

namespace gs {

// Other code may have begun a capture that the stream takes part in: the driver must be asked before a block is taken or kept.
inline bool asks_first(const StreamSlot &stream) noexcept { return may_be_captured(stream) && !never_captured(stream); }

// With the lock held: the caller's block becomes one of the stream's cache, which has room for it.
inline void put_kept(FrontCache &front, Block &block) noexcept {
    PoolSlot &pool = *block.pool;
    count_free(pool, block);
    block.state = BlockState::Cached;
    note_peak(pool.counts.cached_peak, pool.counts.cached += block.bytes);
    front.put(block);
}

// A block of the right size that the stream has freed. False: there is none.
[[gnu::always_inline]] inline bool take_kept(PoolSlot &pool, const StreamSlot &stream, size_t bytes,
                                             void **out) noexcept {
    // Pairs with make_front, as in model first_record_is_seen_whole.
    FrontCache *front = stream.front.load(std::memory_order_acquire);
    if (!front) return false;
    BriefGuard lock(memory_of(*stream.device).mutex);
    Block *block = front->take(pool, block_bytes(bytes));
    if (!block) return false;
    pool.counts.cached -= block->bytes;
    ++pool.counts.hits;
    block->stream = stream.handle.load(std::memory_order_relaxed);
    count_allocation(pool, *block, bytes);
    *out = block->address;
    return true;
}

// Frees the memory into the stream's cache if the stream has one with room, and nothing has to be done in the stream before.
// False: nothing has changed, and whether the caller may free the memory is still to be asked.
[[gnu::always_inline]] inline bool keep_at_once(StreamSlot &stream, const void *pointer) noexcept {
    // Pairs with make_front, as in model first_record_is_seen_whole.
    FrontCache *front = stream.front.load(std::memory_order_acquire);
    if (!front) front = has_front(stream) ? make_front(stream) : nullptr;
    if (!front) return false;
    DeviceMemory &memory = memory_of(*stream.device);
    BriefGuard lock(memory.mutex);
    Block *block = memory.table.find(pointer);
    if (!block || block->state != BlockState::Live || (block->pool->flags & GS_POOL_POISON) != 0 ||
        !may_keep(stream, *block) || !front->has_room(block->bytes))
        return false;
    put_kept(*front, *block);
    return true;
}

} // namespace gs
