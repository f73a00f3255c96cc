// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/per_thread.hpp"

#include <new>

namespace gs::host {

PerThreadStreams *PerThreadTable::of(const ThreadBlock &thread, bool create) noexcept {
    const uint32_t index = thread.id / kChunk;
    if (index >= kChunks) return nullptr;
    PerThreadStreams *chunk = chunks_[index].load(std::memory_order_acquire);
    if (!chunk && create) {
        auto *fresh = new (std::nothrow) PerThreadStreams[kChunk];
        if (!fresh) return nullptr;
        // one-sided: fails only when two threads are here
        if (chunks_[index].compare_exchange_strong(chunk, fresh, std::memory_order_acq_rel))
            chunk = fresh;
        else
            delete[] fresh;
    }
    return chunk ? &chunk[thread.id % kChunk] : nullptr;
}

} // namespace gs::host
