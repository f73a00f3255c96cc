// SPDX-License-Identifier: Apache-2.0
#include "core/memory/device_memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/log.hpp"
#include "base/status.hpp"
#include "base/testing.hpp"
#include "core/lookup.hpp"
#include "core/stream/stream_hooks.hpp"

namespace gs {

constinit DeviceMemory g_memories[kMaxDevices];

namespace {

// A free would break the capture that the stream takes part in, and its blocks must not meet the slot's next driver stream.
Status give_up_list(StreamSlot &stream, Block *list) noexcept {
    DeviceMemory &memory = memory_of(*stream.device);
    BriefGuard lock(memory.mutex);
    while (Block *block = list) {
        list = block->next;
        drop_block(memory, *block);
    }
    return fail(GS_ERROR_CAPTURING, "the stream ended while it was being captured");
}

void drop_front(StreamSlot &stream) noexcept {
    ThreadBlock *thread = this_thread();
    Block *list = thread ? take_front(stream, nullptr) : nullptr;
    if (!list) return;
    bool captured = false;
    const Status asked = is_captured(*thread, stream, &captured);
    const bool free = asked.ok() && !captured;
    log_lost_memory(stream, free ? free_list(*thread, stream, list) : give_up_list(stream, list));
}

} // namespace

Block *take_front(StreamSlot &stream, const PoolSlot *pool, size_t least) noexcept {
    FrontCache *front = stream.front.load(std::memory_order_acquire);
    if (!front) return nullptr;
    DeviceMemory &memory = memory_of(*stream.device);
    Block *list = nullptr;
    BriefGuard lock(memory.mutex);
    while (Block *block = front->take_any(pool, least)) {
        block->pool->counts.cached -= block->bytes;
        unlist(memory, *block, &list);
    }
    return list;
}

void count_segment(PoolSlot &pool) noexcept {
    PoolCounts &counts = pool.counts;
    counts.segments_peak = std::max(counts.segments_peak, ++counts.segments);
    ++counts.segment_allocations;
}

void retire_pool(DeviceMemory &memory, PoolSlot &pool) noexcept { memory.free_pools.give(pool); }

void drop_block(DeviceMemory &memory, Block &block) noexcept {
    PoolSlot &pool = *block.pool;
    pool.held -= block.bytes;
    if (block.address)
        --pool.counts.segments;
    else
        pool.asked -= block.bytes;
    --pool.block_count;
    memory.spare.push(block);
}

void unlist(DeviceMemory &memory, Block &block, Block **list) noexcept {
    memory.table.remove(block);
    block.state = BlockState::Leaving;
    block.next = *list;
    *list = &block;
}

Status free_list(ThreadBlock &thread, StreamSlot &stream, Block *list) noexcept {
    Status outcome = kOk;
    while (Block *block = list) {
        list = block->next;
        bool freed = false;
        const Status status = stream.backend->free_async(thread, stream.ref(), block->address, &freed);
        if (!status.ok()) outcome = status;
        DeviceMemory &memory = memory_of(*stream.device);
        BriefGuard lock(memory.mutex);
        drop_block(memory, *block);
    }
    return outcome;
}

void log_lost_memory(const BackendDevice &device, Status status) noexcept {
    if (status.ok() || status.code == GS_ERROR_SHUTDOWN || device.health->load(std::memory_order_relaxed) != 0) return;
    log_message(GS_LOG_WARNING, "memory of %s device %d is not freed: %s", device.backend->name(), device.ordinal,
                pending_text());
}

namespace {

Status free_front(ThreadBlock &thread, StreamSlot &stream, Block *list, Settle settle) noexcept {
    bool idle = false;
    Status asked = kOk;
    if (list && settle == Settle::Idle) asked = stream.backend->stream_query(thread, stream.ref(), &idle);
    GS_TRY(free_list(thread, stream, list)); // whatever the answer was
    GS_TRY(asked);
    return idle ? stream.backend->stream_synchronize(thread, stream.ref()) : kOk;
}

// The driver is asked only about streams that keep something: other code may have destroyed the rest.
bool keeps_any(const StreamSlot &stream, const PoolSlot *pool) noexcept {
    BriefGuard lock(memory_of(*stream.device).mutex);
    return stream.front.load(std::memory_order_relaxed)->has(pool);
}

// Is the stream captured, or would what it is given break the capture of another one?
Status is_closed(ThreadBlock &thread, StreamSlot &stream, bool *out_closed) noexcept {
    *out_closed = never_captured(stream) && check_health(stream).code == GS_ERROR_CAPTURING;
    if (*out_closed) return kOk;
    const Status asked = is_captured(thread, stream, out_closed);
    if (!never_captured(stream) || asked.code != GS_ERROR_CAPTURING) return asked;
    *out_closed = true; // one that other code has begun
    return kOk;
}

} // namespace

Status empty_fronts(ThreadBlock &thread, const Device &device, const PoolSlot *pool, Settle settle,
                    bool *out_any) noexcept {
    Status outcome = kOk;
    *out_any = false;
    const uint32_t last = stream_slots().last_index();
    for (uint32_t index = 1; index <= last; ++index) {
        StreamSlot *stream = stream_slots().at(index);
        const uint64_t handle = stream->handle.load(std::memory_order_seq_cst);
        if (handle == 0 || !stream->front.load(std::memory_order_acquire)) continue;
        if (!note_use(*stream, handle, thread.id) || stream->device != &device || !keeps_any(*stream, pool)) continue;
        bool closed = false;
        const NoBeginOf no_begin(*stream, NoBeginOf::IfFree{});
        Status status = is_closed(thread, *stream, &closed);
        if (closed || CapturesBefore(*stream).begun()) continue;
        GS_YIELD(AfterCheck);
        if (status.ok()) {
            Block *list = take_front(*stream, pool);
            *out_any = *out_any || list;
            status = free_front(thread, *stream, list, settle);
        }
        if (!status.ok()) outcome = status;
    }
    return outcome;
}

FrontCache *make_front(StreamSlot &stream) noexcept {
    FrontCache *front = nullptr;
    g_drop_kept_memory.store(drop_front, std::memory_order_release);
    auto *made = new (std::nothrow) FrontCache;
    if (!made || stream.front.compare_exchange_strong(front, made, std::memory_order_acq_rel)) return made;
    delete made; // another thread was first
    return front;
}

} // namespace gs
