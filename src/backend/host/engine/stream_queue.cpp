// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/stream_queue.hpp"

#include <new>

namespace gs::host {
namespace {

constexpr uint32_t kMostSpares = 256; // the memory of a queue that was long once is freed

} // namespace

bool append(Stream &stream, const Op &op) noexcept {
    Op *slot = stream.spare_ops.pop();
    if (slot) {
        *slot = op;
    } else {
        slot = new (std::nothrow) Op(op);
        if (!slot) return false;
    }
    slot->next = nullptr;
    if (stream.head)
        stream.tail->next = slot;
    else
        stream.head = slot;
    stream.tail = slot;
    return true;
}

namespace {

void recycle(Stream &stream, Op *op) noexcept GS_REQUIRES(stream.lock) {
    if (stream.spare_ops.count() == kMostSpares) {
        delete op;
        return;
    }
    stream.spare_ops.push(*op);
}

} // namespace

void remove_head(Stream &stream) noexcept {
    Op *op = stream.head;
    stream.head = op->next;
    if (!stream.head) stream.tail = nullptr;
    recycle(stream, op);
}

void remove_next(Stream &stream) noexcept {
    Op *op = stream.head->next;
    stream.head->next = op->next;
    if (stream.tail == op) stream.tail = stream.head;
    recycle(stream, op);
}

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
