// SPDX-License-Identifier: Apache-2.0
// Allocating in stream order. Under the caller's CallMark, in a stream whose device is healthy and which counts as used.
#pragma once

#include <cstdint>

#include "base/status.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/memory/device_memory.hpp"

namespace gs {

// An allocation that finds no room below its pool's limit while others are giving some back is made again a moment
// later. Other threads may be in the driver with it. What ended streams keep is given back once all threads have left
// the calls that they were in. That includes the allocation, so the attempts are separate calls, with no mark between
// them.

// The first attempt has no turn, which would cost time there: it is put off at once.
class AllocationTurn {
public:
    // To be made again: the attempt returns kOk and no memory. False: that was done for long enough.
    bool put_off() noexcept;
    // After each attempt, without a mark: is there to be another one? Waits for its turn.
    bool again() noexcept;

    bool gave_back = false; // what streams kept, in any attempt

private:
    bool again_ = false;
    int attempts_ = 0;      // that were put off
    uint64_t first_ns_ = 0; // the first of them
};

// Of allocate(): what the stream's cache has not, and in a stream that asks first.
Status allocate_slowly(ThreadBlock &thread, PoolSlot &pool, StreamSlot &stream, size_t bytes, AllocationTurn *turn,
                       void **out) noexcept;
// bytes is not 0, *out is nullptr and stays so if the allocation is put off (AllocationTurn). The pool does not end during the call.
[[gnu::always_inline]] inline Status allocate(ThreadBlock &thread, PoolSlot &pool, StreamSlot &stream, size_t bytes,
                                              AllocationTurn *turn, void **out) noexcept {
    if (asks_first(stream) || !take_kept(pool, stream, bytes, out))
        return allocate_slowly(thread, pool, stream, bytes, turn, out);
    note_block_birth(memory_of(*stream.device), *out);
    return kOk;
}

// Freeing in stream order. Under the caller's CallMark, in a stream whose device is healthy and which counts as used.

// Of free_memory(): what the stream's cache does not take at once, and in a stream that asks first.
Status free_slowly(ThreadBlock &thread, StreamSlot &stream, void *pointer) noexcept;
// INVALID_ARGUMENT: freed already. DEVICE_MISMATCH: a block of another device. CAPTURING: a block, and the stream is being
// captured. What is not ours goes to the driver.
[[gnu::always_inline]] inline Status free_memory(ThreadBlock &thread, StreamSlot &stream, void *pointer) noexcept {
    if (!asks_first(stream) && keep_at_once(stream, pointer)) return kOk;
    return free_slowly(thread, stream, pointer);
}

// The handle of the library's own stream on the block's device, in which memory is freed that several streams use; made at the
// first call. Not under a CallMark: streams that have ended are collected for it.
Status free_stream(ThreadBlock &thread, const void *pointer, uint64_t *out) noexcept;
// The block becomes the caller's alone to free, and is freed for everyone else: by free_claimed(), unless unclaim_block() takes
// that back. INVALID_ARGUMENT: there is none at this address.
Status claim_block(void *pointer, Block **out) noexcept;
void unclaim_block(Block &block) noexcept;
Status free_claimed(ThreadBlock &thread, StreamSlot &stream, Block &block) noexcept;
// The device of a block that is allocated. INVALID_ARGUMENT: there is none at this address.
Status device_of_block(const void *pointer, Device **out) noexcept;

// Names of the blocks that callers have of pools, for the report of leaks.

// nullptr and "": no name. INVALID_ARGUMENT: there is no such block. OUT_OF_MEMORY.
Status set_block_name(const void *address, const char *name) noexcept;

} // namespace gs
