// SPDX-License-Identifier: Apache-2.0
// Freeing in stream order. Under the caller's CallMark, in a stream whose device is healthy and which counts as used.
#pragma once

#include "core/memory/kept_blocks.hpp"

namespace gs {

// Of free_memory(): what the stream's cache does not take at once, and in a stream that asks first.
Status free_slowly(ThreadBlock &thread, StreamSlot &stream, void *pointer) noexcept;
// INVALID_ARGUMENT: freed already. DEVICE_MISMATCH: a block of another device. What is not ours goes to the driver.
[[gnu::always_inline]] inline Status free_memory(ThreadBlock &thread, StreamSlot &stream, void *pointer) noexcept {
    if (!asks_first(stream) && keep_at_once(stream, pointer)) return kOk;
    return free_slowly(thread, stream, pointer);
}

// Makes the stream of the block's device for frees behind several streams, if there is none yet. Not under a CallMark: streams
// that have ended are collected for it.
Status make_free_stream(ThreadBlock &thread, const void *pointer) noexcept;
// Makes the device's stream for such frees wait for the present work of the streams; *out_stream is its handle. The block is
// then freed there by free_uncached().
Status order_free(ThreadBlock &thread, void *pointer, StreamSlot *const *streams, size_t count,
                  uint64_t *out_stream) noexcept;
Status free_uncached(ThreadBlock &thread, StreamSlot &stream, void *pointer) noexcept;
// The device of a block that is allocated. INVALID_ARGUMENT: there is none at this address.
Status device_of_block(const void *pointer, Device **out) noexcept;

} // namespace gs
