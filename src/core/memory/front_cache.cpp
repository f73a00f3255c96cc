// SPDX-License-Identifier: Apache-2.0
#include "core/memory/front_cache.hpp"

#include <cstring>

namespace gs {

Block *FrontCache::remove(uint32_t place) noexcept {
    Block *block = blocks_[place];
    bytes_ -= block->bytes;
    --count_;
    std::memmove(blocks_ + place, blocks_ + place + 1, (count_ - place) * sizeof *blocks_);
    return block;
}

Block *FrontCache::take(const PoolSlot &pool, size_t bytes) noexcept {
    for (uint32_t place = count_; place-- > 0;)
        if (blocks_[place]->bytes == bytes && blocks_[place]->pool == &pool) return remove(place);
    return nullptr;
}

Block *FrontCache::take_any(const PoolSlot *pool) noexcept {
    for (uint32_t place = count_; place-- > 0;)
        if (!pool || blocks_[place]->pool == pool) return remove(place);
    return nullptr;
}

Block *FrontCache::make_room(size_t bytes) noexcept { return has_room(bytes) ? nullptr : remove(0); }

void FrontCache::put(Block &block) noexcept {
    blocks_[count_++] = &block;
    bytes_ += block.bytes;
}

} // namespace gs
