// SPDX-License-Identifier: Apache-2.0
#include "core/memory/front_cache.hpp"

#include <cstring>
#include <new>

namespace gs {

void BlockTable::add(Block &block) noexcept {
    if (size_ >= (buckets_ ? capacity_ : kFirstBuckets)) grow();
    Block *&head = (buckets_ ? buckets_ : first_)[bucket_of(block.address)];
    block.next = head;
    head = &block;
    ++size_;
}

void BlockTable::remove(Block &block) noexcept {
    Block **place = &(buckets_ ? buckets_ : first_)[bucket_of(block.address)];
    while (*place != &block) place = &(*place)->next;
    *place = block.next;
    block.next = nullptr;
    --size_;
}

void BlockTable::grow() noexcept {
    const size_t before = buckets_ ? capacity_ : kFirstBuckets;
    auto **wider = new (std::nothrow) Block *[before * 2]();
    if (!wider) return;
    Block **old = buckets_ ? buckets_ : first_;
    for (size_t i = 0; i < before; ++i) {
        while (Block *block = old[i]) {
            old[i] = block->next;
            Block *&head = wider[hash_of(block->address) & (before * 2 - 1)];
            block->next = head;
            head = block;
        }
    }
    delete[] buckets_;
    buckets_ = wider;
    capacity_ = before * 2;
}

Block *FrontCache::remove(uint32_t place) noexcept {
    const Place removed = places_[place];
    bytes_ -= removed.bytes;
    --count_;
    std::memmove(places_ + place, places_ + place + 1, (count_ - place) * sizeof *places_);
    return removed.block;
}

// The newest one does not fit.
Block *FrontCache::take_older(const PoolSlot &pool, size_t bytes) noexcept {
    for (uint32_t place = count_ - 1; place-- > 0;)
        if (places_[place].bytes == bytes && places_[place].block->pool == &pool) return remove(place);
    return nullptr;
}

bool FrontCache::has(const PoolSlot *pool) const noexcept {
    for (uint32_t place = 0; place < count_; ++place)
        if (!pool || places_[place].block->pool == pool) return true;
    return false;
}

Block *FrontCache::take_any(const PoolSlot *pool, size_t least) noexcept {
    for (uint32_t place = count_; place-- > 0;)
        if (places_[place].bytes >= least && (!pool || places_[place].block->pool == pool)) return remove(place);
    return nullptr;
}

Block *FrontCache::make_room(size_t bytes) noexcept { return has_room(bytes) ? nullptr : remove(0); }

} // namespace gs
