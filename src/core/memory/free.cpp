// SPDX-License-Identifier: Apache-2.0
#include "core/memory/free.hpp"

#include <utility>

#include "core/hooks/birth_notes.hpp"
#include "core/lookup.hpp"
#include "core/memory/pools.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/stream_create.hpp"
#include "core/stream/stream_life.hpp"
#include "core/stream/stream_sync.hpp"

namespace gs {
namespace {

constexpr uint8_t kPoison = 0xDD;

Status freed_before(const void *pointer) noexcept {
    return fail(GS_ERROR_INVALID_ARGUMENT, "the memory at %p was freed before", pointer);
}

// Of a pointer that the stream's device has no block at.
Status free_unknown(ThreadBlock &thread, StreamSlot &stream, void *pointer) noexcept {
    Device *owner = nullptr;
    if (device_of_block(pointer, &owner).ok())
        return fail(GS_ERROR_DEVICE_MISMATCH, "the memory at %p is of %s device %d, the stream of %s device %d",
                    pointer, owner->backend->name(), owner->ordinal, stream.backend->name(), stream.ordinal);
    bool freed = false;
    return stream.backend->free_async(thread, stream.ref(), pointer, &freed);
}

// The block is the calling thread's alone to free.
Status claim(DeviceMemory &memory, const void *pointer, Block **out) noexcept {
    BriefGuard lock(memory.mutex);
    Block *block = memory.table.find(pointer);
    *out = block;
    if (!block) return kOk;
    if (block->state != BlockState::Live) return freed_before(pointer);
    block->state = BlockState::Leaving;
    return kOk;
}

// The caller still has the block.
void unclaim(DeviceMemory &memory, Block &block) noexcept {
    BriefGuard lock(memory.mutex);
    block.state = BlockState::Live;
}

Status poison(ThreadBlock &thread, StreamSlot &stream, Block &block) noexcept {
    const Status status = stream.backend->memset_async(thread, stream.ref(), block.address, kPoison, block.requested);
    if (!status.ok()) unclaim(memory_of(*stream.device), block);
    return status;
}

// Puts the block into the stream's cache. False: the stream has none. *out_list: what had to go.
bool keep(StreamSlot &stream, Block &block, Block **out_list) noexcept {
    FrontCache *front = front_of(stream);
    DeviceMemory &memory = memory_of(*stream.device);
    BriefGuard lock(memory.mutex);
    if (!front || !may_keep(stream, block)) return false;
    while (Block *oldest = front->make_room(block.bytes)) {
        oldest->pool->counts.cached -= oldest->bytes;
        unlist(memory, *oldest, out_list);
    }
    put_kept(*front, block);
    return true;
}

Status free_in_driver(ThreadBlock &thread, StreamSlot &stream, Block &block) noexcept {
    DeviceMemory &memory = memory_of(*stream.device);
    {
        BriefGuard lock(memory.mutex);
        memory.table.remove(block);
        count_free(*block.pool, block);
    }
    PoolSlot &pool = *block.pool;
    bool freed = false;
    const Status status = stream.backend->free_async(thread, stream.ref(), block.address, &freed);
    if (freed) {
        bool is_last = false;
        {
            BriefGuard lock(memory.mutex);
            drop_block(memory, block);
            is_last = pool.block_count == 0 && pool.handle.load(std::memory_order_relaxed) == 0;
        }
        if (is_last) finish_empty_pool(pool);
        return status;
    }
    // The caller still has it, as if there had been no call.
    BriefGuard lock(memory.mutex);
    --pool.counts.frees;
    --pool.counts.allocations;
    pool.counts.allocated_total -= block.bytes;
    pool.counts.requested_total -= block.requested;
    const bool named = block.named;
    count_allocation(pool, block, block.requested);
    block.named = named;
    memory.table.add(block);
    return status;
}

// The stream of the library's own in which memory of the device is freed that several streams use.
Status free_stream(ThreadBlock &thread, Device &device, uint64_t *out) noexcept {
    DeviceMemory &memory = memory_of(device);
    {
        BriefGuard lock(memory.mutex);
        if ((*out = memory.free_stream) != 0) return kOk;
    }
    uint64_t made = 0;
    GS_TRY(create_stream(thread, device, 0, 0, &made));
    forget_birth(made);
    {
        BriefGuard lock(memory.mutex);
        if (memory.free_stream == 0) memory.free_stream = std::exchange(made, 0);
        *out = memory.free_stream;
    }
    return made == 0 ? kOk : release_stream(thread, made); // another thread was first
}

} // namespace

Status device_of_block(const void *pointer, Device **out) noexcept {
    for (int32_t index = 0; index < kMaxDevices; ++index) {
        Device *device = device_at(index);
        if (!device) continue;
        DeviceMemory &memory = memory_at(index);
        BriefGuard lock(memory.mutex);
        const Block *block = memory.table.find(pointer);
        if (!block) continue;
        if (block->state != BlockState::Live) return freed_before(pointer);
        *out = device;
        return kOk;
    }
    return fail(GS_ERROR_INVALID_ARGUMENT, "the memory at %p was not allocated by the library, or was freed before",
                pointer);
}

Status free_slowly(ThreadBlock &thread, StreamSlot &stream, void *pointer) noexcept {
    bool captured = false;
    if (asks_first(stream)) GS_TRY(is_captured(thread, stream, &captured));
    if (captured) { // a driver frees there only what the graph has allocated
        bool freed = false;
        return stream.backend->free_async(thread, stream.ref(), pointer, &freed);
    }
    Block *block = nullptr;
    GS_TRY(claim(memory_of(*stream.device), pointer, &block));
    if (never_captured(stream)) {
        if (const Status status = is_captured(thread, stream, &captured); !status.ok()) {
            if (block) unclaim(memory_of(*stream.device), *block);
            return status;
        }
    }
    if (!block) return free_unknown(thread, stream, pointer);
    if (block->pool->flags & GS_POOL_POISON) GS_TRY(poison(thread, stream, *block));
    Block *list = nullptr;
    if (!has_front(stream) || !keep(stream, *block, &list)) return free_in_driver(thread, stream, *block);
    return free_list(thread, stream, list); // as if it were this block's: the caller's is free
}

Status free_uncached(ThreadBlock &thread, StreamSlot &stream, void *pointer) noexcept {
    Block *block = nullptr;
    GS_TRY(claim(memory_of(*stream.device), pointer, &block));
    if (!block) return freed_before(pointer); // by another thread in between
    if (block->pool->flags & GS_POOL_POISON) GS_TRY(poison(thread, stream, *block));
    return free_in_driver(thread, stream, *block);
}

Status make_free_stream(ThreadBlock &thread, const void *pointer) noexcept {
    Device *device = nullptr;
    uint64_t handle = 0;
    if (!device_of_block(pointer, &device).ok()) return kOk; // order_free() says so, once the streams are found
    return free_stream(thread, *device, &handle);
}

Status order_free(ThreadBlock &thread, void *pointer, StreamSlot *const *streams, size_t count,
                  uint64_t *out_stream) noexcept {
    Device *device = nullptr;
    GS_TRY(device_of_block(pointer, &device));
    for (size_t i = 0; i < count; ++i) {
        if (streams[i]->backend != device->backend)
            return fail(GS_ERROR_DEVICE_MISMATCH, "the memory at %p is of the %s backend, a stream of the %s backend",
                        pointer, device->backend->name(), streams[i]->backend->name());
        GS_TRY(check_health(*streams[i]));
        bool captured = false;
        GS_TRY(is_captured(thread, *streams[i], &captured));
        if (captured)
            return fail(GS_ERROR_CAPTURING, "a stream is being captured: memory cannot be freed behind its work");
    }
    uint64_t handle = 0;
    GS_TRY(free_stream(thread, *device, &handle));
    StreamSlot *last = nullptr;
    GS_TRY(required_stream(thread, handle, &last));
    for (size_t i = 0; i < count; ++i) GS_TRY(wait_stream(thread, *last, *streams[i]));
    *out_stream = handle;
    return kOk;
}

} // namespace gs
