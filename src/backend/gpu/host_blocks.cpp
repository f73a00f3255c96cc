// SPDX-License-Identifier: Apache-2.0
#include "backend/gpu/host_blocks.hpp"

namespace gs::gpu {

void HostBlocks::add(HostBlock *block) noexcept {
    MutexLock lock(mutex_);
    HostBlock *&head = heads_[bucket_of(block->pointer)];
    block->next = head;
    head = block;
    ++size_;
}

HostBlock *HostBlocks::remove(void *pointer) noexcept {
    MutexLock lock(mutex_);
    for (HostBlock **link = &heads_[bucket_of(pointer)]; *link; link = &(*link)->next) {
        HostBlock *block = *link;
        if (block->pointer != pointer) continue;
        *link = block->next;
        block->next = nullptr;
        --size_;
        return block;
    }
    return nullptr;
}

size_t HostBlocks::size() noexcept {
    MutexLock lock(mutex_);
    return size_;
}

} // namespace gs::gpu
