// SPDX-License-Identifier: Apache-2.0
// Pools, and what all pools of a device have in common: one lock, one table of blocks.
//
// The lock guards everything here but what is said to be constant. It is held for a few stores, never while the backend
// is called. A block leaves the table before the driver frees it, as another thread may be given its address at once.
#pragma once

#include "base/core_data.hpp"
#include "base/lock.hpp"
#include "core/memory/front_cache.hpp"
#include "core/stream/captured.hpp"
#include "handle/slot_map.hpp"

namespace gs {

// As gs_pool_stats_t says. Sizes in bytes.
struct PoolCounts {
    uint64_t allocated = 0;
    uint64_t allocated_peak = 0;
    uint64_t allocated_total = 0;
    uint64_t requested = 0;
    uint64_t requested_peak = 0;
    uint64_t requested_total = 0;
    uint64_t cached = 0;
    uint64_t cached_peak = 0;
    uint64_t blocks_peak = 0;
    uint64_t allocations = 0;
    uint64_t frees = 0;
    uint64_t hits = 0;
    // From here on only what the driver allocates, frees or refuses changes a number.
    uint64_t segments = 0;
    uint64_t segments_peak = 0;
    uint64_t segment_allocations = 0;
    uint64_t retries = 0;
    uint64_t failures = 0;

    uint64_t blocks() const noexcept { return allocations - frees; }
    // The one number that is also read without the lock.
    uint64_t allocated_now() const noexcept { return __atomic_load_n(&allocated, __ATOMIC_RELAXED); }
    void set_allocated(uint64_t now) noexcept { __atomic_store_n(&allocated, now, __ATOMIC_RELAXED); }
};

struct alignas(64) PoolSlot : SlotBase {
    Device *device = nullptr; // constant: a slot serves pools of one device
    uintptr_t native = 0;     // the backend's; 0: the one that it uses by itself
    uint32_t flags = 0;       // GS_POOL_*
    bool is_default = false;
    uint32_t inside = 0;      // calls that use the slot without the lock
    PoolCounts counts;        // begins a cache line
    uint64_t block_count = 0; // blocks that refer to it, in any state
    uint64_t limit = 0;       // of `held`; 0: none

    uint64_t held = 0;        // bytes taken from the driver: allocated, cached, or about to be allocated
    uint64_t asked = 0;       // those about to be: part of `held`, which `limit` is for
    uint64_t held_peak = 0;   // of what the driver has given
    uint64_t held_most = 0;   // as held_peak, but never lowered
    PoolSlot *next = nullptr; // of the lists of free and of ended slots

    uint64_t given() const noexcept { return held - asked; }
};

struct alignas(64) DeviceMemory {
    BriefLock mutex;
    BlockTable table;
    FreeList<Block> spare;                         // records without a block
    std::atomic<PoolSlot *> default_pool{nullptr}; // set once, immortal
    FreeSlots<PoolSlot> free_pools;
    PoolSlot *ended_pools = nullptr; // without a handle; a driver's pool ends after all frees of its blocks
    PoolSlot *shared_pool = nullptr; // of other libraries' allocators; nullptr: what the thread has current
    uint64_t free_stream = 0;        // handle of the stream in which gs_free_after frees
};

using DeviceMemories = DeviceMemory[kMaxDevices];
GS_CORE_DATA(DeviceMemories, g_memories);
inline DeviceMemory &memory_at(int32_t index) noexcept { return g_memories[index]; } // of the device
inline DeviceMemory &memory_of(const Device &device) noexcept { return memory_at(device.index); }

// Bytes as pools hand them out.
constexpr size_t kBlockBytes = 512;
constexpr size_t block_bytes(size_t bytes) noexcept { return (bytes + kBlockBytes - 1) & ~(kBlockBytes - 1); }

// A number that has grown, and the most that it ever was: which is rarely changed, and so not always stored.
inline void note_peak(uint64_t &peak, uint64_t now) noexcept {
    if (now > peak) peak = now;
}

// The next six with the lock held.
// The slot may serve another pool: nothing refers to this one any more.
void retire_pool(DeviceMemory &memory, PoolSlot &pool) noexcept;
// The block, in state Live, is the caller's from now on.
inline void count_allocation(PoolSlot &pool, Block &block, size_t requested) noexcept {
    block.state = BlockState::Live;
    block.named = false;
    block.requested = requested;
    PoolCounts &counts = pool.counts;
    counts.allocated_total += block.bytes;
    counts.requested_total += requested;
    ++counts.allocations;
    counts.set_allocated(counts.allocated + block.bytes);
    note_peak(counts.allocated_peak, counts.allocated);
    note_peak(counts.requested_peak, counts.requested += requested);
    note_peak(counts.blocks_peak, counts.blocks());
}
inline void count_free(PoolSlot &pool, const Block &block) noexcept {
    PoolCounts &counts = pool.counts;
    counts.set_allocated(counts.allocated - block.bytes);
    counts.requested -= block.requested;
    ++counts.frees;
}
// The driver has allocated the block.
void count_segment(PoolSlot &pool) noexcept;
// The pool refers to one block fewer, and has its bytes no more. The record becomes a spare one.
void drop_block(DeviceMemory &memory, Block &block) noexcept;
// A list of blocks that left the table, to be freed by free_list().
void unlist(DeviceMemory &memory, Block &block, Block **list) noexcept;

// With the lock held. May the block wait in the stream's cache? Once a stream belongs to others, or a pool has ended, their
// caches have been emptied.
inline bool may_keep(const StreamSlot &stream, const Block &block) noexcept {
    return has_front(stream) && block.pool->handle.load(std::memory_order_relaxed) != 0 &&
           block.bytes <= FrontCache::kMostBytes;
}

// Takes the blocks of the pool, or of any, that have at least these bytes, out of the stream's cache and the table. Without the
// lock.
Block *take_front(StreamSlot &stream, const PoolSlot *pool, size_t least = 0) noexcept;
// Frees the list's blocks in the stream, without the lock. A block that the driver fails to free is lost; the last such
// failure is returned. Under the caller's CallMark, or by the owner of a stream that has ended.
Status free_list(ThreadBlock &thread, StreamSlot &stream, Block *list) noexcept;
// Frees in the driver what the front caches of the device's live streams have of the pool, or of any. Streams in a capture keep
// theirs. *out_any: something was freed. Under the caller's CallMark.
// settle: a driver keeps what a stream has still to free. Of a stream that has nothing else to do, these frees are waited for.
enum class Settle : bool { No, Idle };
Status empty_fronts(ThreadBlock &thread, const Device &device, const PoolSlot *pool, Settle settle,
                    bool *out_any) noexcept;
// For callers that cannot return the failure. One of a device that is broken, or whose driver has shut down, is silent.
void log_lost_memory(const BackendDevice &device, Status status) noexcept;
// The front cache of the stream, made at the first call. nullptr: there is no memory for one.
FrontCache *make_front(StreamSlot &stream) noexcept __attribute__((cold));
inline FrontCache *front_of(StreamSlot &stream) noexcept {
    // As in model first_record_is_seen_whole: who sees the cache sees what it holds.
    FrontCache *front = stream.front.load(std::memory_order_acquire);
    return front != nullptr ? front : make_front(stream);
}

// The two usual ways of a block, which call no driver: out of the front cache of a stream, and back into it. Each takes the
// lock of the device's memory once. What cannot go this way goes by allocate.cpp and free.cpp.

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
