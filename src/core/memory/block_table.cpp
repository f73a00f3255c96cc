// SPDX-License-Identifier: Apache-2.0
#include "core/memory/block_table.hpp"

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

} // namespace gs
