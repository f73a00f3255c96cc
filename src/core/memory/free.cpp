// SPDX-License-Identifier: Apache-2.0
#include "core/memory/allocate.hpp"

#include <new>
#include <utility>

#include "core/hooks/tool_hooks.hpp"
#include "core/lookup.hpp"
#include "core/memory/pools.hpp"
#include "core/names.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/stream_calls.hpp"
#include "core/stream/stream_life.hpp"

namespace gs {
namespace {

constexpr uint8_t kPoison = 0xDD;

Status freed_before(const void *pointer) noexcept {
    return fail(GS_ERROR_INVALID_ARGUMENT, "the memory at %p was freed before", pointer);
}

Status refuse_device(const StreamSlot &stream, const Device &owner, const void *pointer) noexcept {
    return fail(GS_ERROR_DEVICE_MISMATCH, "the memory at %p is of %s device %d, the stream of %s device %d", pointer,
                owner.backend->name(), owner.ordinal, stream.backend->name(), stream.ordinal);
}

// Of a pointer that the stream's device has no block at.
Status free_unknown(ThreadBlock &thread, StreamSlot &stream, void *pointer) noexcept {
    Device *owner = nullptr;
    if (device_of_block(pointer, &owner).ok()) return refuse_device(stream, *owner, pointer);
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

Status poison(ThreadBlock &thread, StreamSlot &stream, Block &block) noexcept {
    const Status status = stream.backend->memset_async(thread, stream.ref(), block.address, kPoison, block.requested);
    if (!status.ok()) unclaim_block(block);
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

// Of a block of the library: it is not the graph's.
Status refuse_block(const StreamSlot &stream, const Device &owner, const void *pointer) noexcept {
    if (&owner != stream.device) return refuse_device(stream, owner, pointer);
    return fail(GS_ERROR_CAPTURING,
                "the stream is being captured, and a capture frees only what it has allocated: free the memory at %p "
                "after the capture, or by gs_free_after()",
                pointer);
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
    const NoBeginOf no_begin(stream);
    bool captured = false;
    if (asks_first(stream)) GS_TRY(is_captured(thread, stream, &captured));
    if (captured) { // a driver frees there only what the graph has allocated
        Device *owner = nullptr;
        if (device_of_block(pointer, &owner).ok()) return refuse_block(stream, *owner, pointer);
        bool freed = false, later = false;
        if (const CaptureGuard *guard = capture_guard()) GS_TRY(guard->free_at_end(thread, stream, pointer, &later));
        return later ? kOk : stream.backend->free_async(thread, stream.ref(), pointer, &freed);
    }
    Block *block = nullptr;
    GS_TRY(claim(memory_of(*stream.device), pointer, &block));
    if (never_captured(stream)) {
        if (const Status status = is_captured(thread, stream, &captured); !status.ok()) {
            if (block) unclaim_block(*block);
            return status;
        }
    }
    if (!block) return free_unknown(thread, stream, pointer);
    if (block->pool->flags & GS_POOL_POISON) GS_TRY(poison(thread, stream, *block));
    Block *list = nullptr;
    if (!has_front(stream) || !keep(stream, *block, &list)) return free_in_driver(thread, stream, *block);
    return free_list(thread, stream, list); // as if it were this block's: the caller's is free
}

Status claim_block(void *pointer, Block **out) noexcept {
    Device *device = nullptr;
    GS_TRY(device_of_block(pointer, &device));
    GS_TRY(claim(memory_of(*device), pointer, out));
    return *out ? kOk : freed_before(pointer); // by another thread in between
}

void unclaim_block(Block &block) noexcept {
    BriefGuard lock(memory_of(*block.pool->device).mutex);
    block.state = BlockState::Live;
}

Status free_claimed(ThreadBlock &thread, StreamSlot &stream, Block &block) noexcept {
    if (block.pool->flags & GS_POOL_POISON) GS_TRY(poison(thread, stream, block));
    return free_in_driver(thread, stream, block);
}

Status free_stream(ThreadBlock &thread, const void *pointer, uint64_t *out) noexcept {
    Device *device = nullptr;
    GS_TRY(device_of_block(pointer, &device));
    DeviceMemory &memory = memory_of(*device);
    {
        BriefGuard lock(memory.mutex);
        if ((*out = memory.free_stream) != 0) return kOk;
    }
    uint64_t made = 0;
    GS_TRY(create_stream(thread, *device, 0, 0, &made));
    forget_birth(made);
    {
        BriefGuard lock(memory.mutex);
        if (memory.free_stream == 0) memory.free_stream = std::exchange(made, 0);
        *out = memory.free_stream;
    }
    return made == 0 ? kOk : release_stream(thread, made); // another thread was first
}

Status set_block_name(const void *address, const char *name) noexcept {
    NameText *made = nullptr;
    if (name && *name != '\0') {
        made = new (std::nothrow) NameText;
        if (!made) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a name");
        make_printable_name(name, made->text);
    }
    Device *device = nullptr;
    const Status status = device_of_block(address, &device);
    if (status.ok()) {
        DeviceMemory &memory = memory_of(*device);
        BriefGuard lock(memory.mutex);
        if (Block *block = memory.table.find(address)) { // else another thread has freed it in between
            block->named = made != nullptr;
            if (made) std::swap(block->name, made);
        }
    }
    delete made; // what was replaced, or not wanted
    return status;
}

} // namespace gs
