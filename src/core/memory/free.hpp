// SPDX-License-Identifier: Apache-2.0
// Freeing in stream order. Under the caller's CallMark, in a stream whose device is healthy and which counts as used.
#pragma once

#include "base/status.hpp"
#include "core/memory/device_memory.hpp"

namespace gs {

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
