// SPDX-License-Identifier: Apache-2.0
// The blocks that pools of one device have, by address: allocated ones and those in a stream's front cache.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gs {

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
    // Adding cannot fail: if there is no memory for more buckets, their lists grow.
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

} // namespace gs
