// SPDX-License-Identifier: Apache-2.0
// The front cache of a stream: blocks that were freed in it and not yet given back to the driver. The next allocation in
// the stream may have one, because its work comes later in the stream than the work that used the block. See ADR 0020.
#pragma once

#include <cstdint>

#include "core/memory/block_table.hpp"
#include "core/slots.hpp"

namespace gs {

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

// May blocks wait in this stream? Not in one that other code may destroy at any time, and not in one whose handle stands for
// a driver stream per thread.
inline bool has_front(const StreamSlot &stream) noexcept {
    return stream.kind != StreamKind::External && stream.kind != StreamKind::PerThread &&
           !stream.foreign.load(std::memory_order_relaxed);
}

} // namespace gs
