// SPDX-License-Identifier: Apache-2.0
// The front cache of a stream: blocks that were freed in it and not yet given back to the driver. The next allocation in
// the stream may have one, because its work comes later in the stream than the work that used the block. See ADR 0020.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/slots.hpp"

namespace gs {

// The blocks that pools of one device have, by address: allocated ones and those in a stream's front cache.
struct Maker;
struct NameText;
struct PoolSlot;

enum class BlockState : uint8_t {
    Live,    // the caller's
    Leaving, // a call is freeing it
    Cached,  // in the front cache of a stream
};

struct Block {
    void *address = nullptr; // nullptr: not allocated yet
    size_t bytes = 0;        // as the pool has rounded them
    size_t requested = 0;    // by the caller
    uint64_t stream = 0;     // handle of the one in which it was allocated
    PoolSlot *pool = nullptr;
    Block *next = nullptr; // of a bucket, or of the list that the block is in
    BlockState state = BlockState::Live;
    bool named = false;       // `name` is this allocation's; beside the state, so that one store sets both
    NameText *name = nullptr; // stays with the record, for a later name
    Maker *maker = nullptr;   // who allocated it, if leaks are reported; the next one with this record takes its place
};

// With the lock of the device's memory held. Its initial value is all zero.
class BlockTable {
public:
    Block *find(const void *address) const noexcept {
        Block *block = (buckets_ ? buckets_ : first_)[bucket_of(address)];
        while (block && block->address != address) block = block->next;
        return block;
    }
    // Adding always succeeds: if there is no memory for more buckets, their lists grow.
    void add(Block &block) noexcept;
    void remove(Block &block) noexcept;
    template <typename Visit>
    void for_each(Visit &&visit) const {
        for (size_t bucket = 0; bucket < (buckets_ ? capacity_ : kFirstBuckets); ++bucket)
            for (const Block *block = (buckets_ ? buckets_ : first_)[bucket]; block; block = block->next) visit(*block);
    }

private:
    static constexpr size_t kFirstBuckets = 64;
    static constexpr size_t kAlignmentBits = 8; // no backend aligns to less

    static size_t hash_of(const void *address) noexcept {
        return static_cast<size_t>((reinterpret_cast<uintptr_t>(address) >> kAlignmentBits) * 0x9E3779B97F4A7C15u >>
                                   24);
    }
    size_t bucket_of(const void *address) const noexcept {
        return hash_of(address) & ((buckets_ ? capacity_ : kFirstBuckets) - 1);
    }
    void grow() noexcept;

    Block **buckets_ = nullptr; // nullptr: first_
    size_t capacity_ = 0;       // a power of two; 0: kFirstBuckets
    size_t size_ = 0;
    Block *first_[kFirstBuckets] = {};
};

// Belongs to the slot of a stream and is never freed. With the lock of the device's memory held.
class FrontCache {
public:
    static constexpr uint32_t kRoom = 16;
    static constexpr size_t kMostBytes = size_t{256} << 20;

    // The block of this size that was freed last, taken out; nullptr: none.
    Block *take(const PoolSlot &pool, size_t bytes) noexcept {
        if (count_ == 0) return nullptr;
        const Place &newest = places_[count_ - 1];
        if (newest.bytes != bytes || newest.block->pool != &pool) return take_older(pool, bytes);
        --count_;
        bytes_ -= bytes;
        return newest.block;
    }
    // Is there a block of the pool, or of any?
    bool has(const PoolSlot *pool) const noexcept;
    // Any block of the pool, or of any pool, that has at least these bytes, taken out.
    Block *take_any(const PoolSlot *pool, size_t least) noexcept;
    bool has_room(size_t bytes) const noexcept {
        return count_ == 0 || (count_ < kRoom && bytes_ + bytes <= kMostBytes);
    }
    // If there is no room for a block of this size: the oldest one, taken out. To be called until it returns nullptr.
    Block *make_room(size_t bytes) noexcept;
    void put(Block &block) noexcept { // there is room
        places_[count_++] = {block.bytes, &block};
        bytes_ += block.bytes;
    }

private:
    struct Place {
        size_t bytes; // the block's, so that a search reads no block of another size
        Block *block;
    };
    Block *take_older(const PoolSlot &pool, size_t bytes) noexcept;
    Block *remove(uint32_t place) noexcept;

    uint32_t count_ = 0;
    size_t bytes_ = 0;
    Place places_[kRoom] = {}; // the oldest first
};

// May blocks wait in this stream? Neither in one that other code may destroy at any time, nor in one whose handle
// stands for a driver stream per thread.
inline bool has_front(const StreamSlot &stream) noexcept {
    return stream.kind != StreamKind::External && stream.kind != StreamKind::PerThread &&
           !stream.foreign.load(std::memory_order_relaxed);
}

} // namespace gs
