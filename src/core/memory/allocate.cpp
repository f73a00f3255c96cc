// SPDX-License-Identifier: Apache-2.0
#include "core/memory/allocate.hpp"

#include <sched.h>

#include <algorithm>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/stream_life.hpp"

namespace gs {
namespace {

// Another thread may be stopped in the driver's call for as long as it likes. On a busy machine all have to have had their turn.
constexpr uint64_t kLongestNs = 100'000'000;
constexpr int kFewestAttempts = 64;

} // namespace

bool AllocationTurn::put_off() noexcept {
    const uint64_t now = monotonic_ns();
    if (first_ns_ == 0) first_ns_ = now;
    again_ = ++attempts_ < kFewestAttempts || now - first_ns_ < kLongestNs;
    return again_;
}

bool AllocationTurn::again() noexcept {
    if (!std::exchange(again_, false)) return false;
    collect_streams();
    sched_yield();
    return true;
}

namespace {

// A record for a block that is about to be made, so that nothing can fail once there is one.
Block *take_record(DeviceMemory &memory) noexcept {
    {
        BriefGuard lock(memory.mutex);
        if (Block *block = memory.spare.pop()) return block;
    }
    return new (std::nothrow) Block;
}

// Later: none, but streams keep memory of the pool, other threads are giving some back, or may fail to get theirs.
enum class Room { Taken, None, Later };

// Takes room below the pool's limit for the block, which then refers to the pool.
Room reserve(DeviceMemory &memory, PoolSlot &pool, Block &block, size_t bytes) noexcept {
    BriefGuard lock(memory.mutex);
    if (pool.limit != 0 && (pool.held > pool.limit || bytes > pool.limit - pool.held)) {
        return pool.held == pool.counts.allocated ? Room::None : Room::Later;
    }
    block.address = nullptr;
    block.pool = &pool;
    block.bytes = bytes;
    pool.held += bytes;
    pool.asked += bytes;
    ++pool.block_count;
    return Room::Taken;
}

void count_failure(DeviceMemory &memory, PoolSlot &pool) noexcept {
    BriefGuard lock(memory.mutex);
    ++pool.counts.failures;
}

void count_retry(DeviceMemory &memory, PoolSlot &pool) noexcept {
    BriefGuard lock(memory.mutex);
    ++pool.counts.retries;
}

void give_record(DeviceMemory &memory, Block &block) noexcept {
    BriefGuard lock(memory.mutex);
    memory.spare.push(block);
}

Status fail_limit(DeviceMemory &memory, PoolSlot &pool, Block &block, size_t bytes) noexcept {
    BriefGuard lock(memory.mutex);
    ++pool.counts.failures;
    memory.spare.push(block);
    return fail(GS_ERROR_OUT_OF_MEMORY,
                "%zu bytes would exceed the limit of the pool, %llu bytes, of which %llu are allocated", bytes,
                static_cast<unsigned long long>(pool.limit), static_cast<unsigned long long>(pool.counts.allocated));
}

// The driver gave out an address that is in the table: other code has freed the block by the driver's own call. That is
// legal for a block that the program has. One that a stream keeps is still in its cache.
void forget_foreign_free(DeviceMemory &memory, Block &block) noexcept {
    if (block.state != BlockState::Live) return;
    memory.table.remove(block);
    count_free(*block.pool, block);
    drop_block(memory, block);
}

// Whether what the program has allocated leaves room: only then may there be some later.
bool may_fit(DeviceMemory &memory, const PoolSlot &pool, size_t bytes) noexcept {
    BriefGuard lock(memory.mutex);
    const uint64_t limit = pool.limit;
    return limit == 0 || (pool.counts.allocated <= limit && bytes <= limit - pool.counts.allocated);
}

// Room below the limit in place of what streams keep. kOk and Room::Later: the allocation is put off.
Status make_room(ThreadBlock &thread, DeviceMemory &memory, PoolSlot &pool, const Device &device, Block &block,
                 size_t bytes, AllocationTurn &turn, Room *out) noexcept {
    bool any = false;
    GS_TRY(empty_fronts(thread, device, &pool, Settle::No, &any));
    turn.gave_back = turn.gave_back || any;
    *out = reserve(memory, pool, block, bytes);
    if (*out == Room::Later && may_fit(memory, pool, bytes) && turn.put_off()) return kOk;
    if (*out == Room::Later) *out = Room::None;
    if (turn.gave_back) count_retry(memory, pool);
    return kOk;
}

// Before the driver is asked for a block, the stream gives back memory of which the driver could make it. The driver
// can give that memory out again to this stream at once. The new block is reserved.
// A large block: the large blocks that are kept, for they are not what the program asks for, and each of them divides the free
// memory around it. Where a pool grows beyond what it ever had: all, for of that growth caches may be a small part only.
Status give_back(ThreadBlock &thread, DeviceMemory &memory, PoolSlot &pool, StreamSlot &stream, size_t bytes) noexcept {
    constexpr size_t kLargeBytes = size_t{1} << 20; // work with as much takes longer than the driver's call
    constexpr uint64_t kLeastShare = 32;            // a 32nd of the pool
    bool grows = false;
    {
        BriefGuard lock(memory.mutex);
        const uint64_t after = pool.given() + bytes;
        grows = after > pool.held_most && pool.counts.cached > after / kLeastShare;
    }
    if (!grows && bytes < kLargeBytes) return kOk;
    return free_list(thread, stream, take_front(stream, &pool, grows ? 0 : kLargeBytes));
}

[[gnu::noinline]] Status allocate_in_driver(ThreadBlock &thread, PoolSlot &pool, StreamSlot &stream, size_t requested,
                                            AllocationTurn *turn, void **out) noexcept {
    const size_t bytes = block_bytes(requested);
    DeviceMemory &memory = memory_of(*stream.device);
    Block *block = take_record(memory);
    if (!block) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the record of a block");
    Room room = reserve(memory, pool, *block, bytes);
    if (room == Room::Later && !turn) return give_record(memory, *block), kOk;
    if (room == Room::Later) {
        const Status status = make_room(thread, memory, pool, *stream.device, *block, bytes, *turn, &room);
        if (!status.ok() || room == Room::Later) return give_record(memory, *block), status;
    }
    if (room == Room::None) return fail_limit(memory, pool, *block, requested);
    const auto ask = [&] { return stream.backend->malloc_async(thread, stream.ref(), pool.native, bytes, out); };
    Status status = give_back(thread, memory, pool, stream, bytes);
    if (status.ok()) status = ask();
    if (status.code == GS_ERROR_OUT_OF_MEMORY) {
        // What streams keep of any pool may be what is missing.
        bool any = false;
        const Status emptied = empty_fronts(thread, *stream.device, nullptr, Settle::No, &any);
        if (!emptied.ok()) {
            status = emptied;
        } else if (any) {
            count_retry(memory, pool);
            status = ask();
        }
        if (status.code == GS_ERROR_OUT_OF_MEMORY) count_failure(memory, pool);
    }
    BriefGuard lock(memory.mutex);
    if (!status.ok()) {
        drop_block(memory, *block);
        return status;
    }
    if (Block *stale = memory.table.find(*out)) forget_foreign_free(memory, *stale);
    block->address = *out;
    block->stream = stream.handle.load(std::memory_order_relaxed);
    memory.table.add(*block);
    count_segment(pool);
    pool.asked -= bytes;
    pool.held_peak = std::max(pool.held_peak, pool.given());
    pool.held_most = std::max(pool.held_most, pool.given());
    count_allocation(pool, *block, requested);
    return kOk;
}

} // namespace

// No capture begins between the question and the driver's call: memory of a graph would count as a block of the pool. One that ends
// there leaves memory that the library does not know, which gs_free_async() leaves to the driver.
Status allocate_slowly(ThreadBlock &thread, PoolSlot &pool, StreamSlot &stream, size_t bytes, AllocationTurn *turn,
                       void **out) noexcept {
    const NoBeginOf no_begin(stream);
    bool captured = false;
    GS_TRY(is_captured(thread, stream, &captured));
    if (captured) { // the memory is the graph's
        GS_TRY(stream.backend->malloc_async(thread, stream.ref(), pool.native, bytes, out));
        if (const CaptureGuard *guard = capture_guard()) guard->allocated(thread, stream, *out);
        return kOk;
    }
    if (!take_kept(pool, stream, bytes, out)) GS_TRY(allocate_in_driver(thread, pool, stream, bytes, turn, out));
    if (*out) note_block_birth(memory_of(*stream.device), *out);
    return kOk;
}

} // namespace gs
