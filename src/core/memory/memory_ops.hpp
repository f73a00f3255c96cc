// SPDX-License-Identifier: Apache-2.0
// Allocating and freeing in stream order, and what is done with pools. All but the last group run under the caller's
// CallMark, in a stream whose device is healthy and which counts as used.
#pragma once

#include "core/memory/pools.hpp"

namespace gs {

// bytes is not 0. The pool does not end during the call.
Status allocate(ThreadBlock &thread, PoolSlot &pool, StreamSlot &stream, size_t bytes, void **out) noexcept;
// INVALID_ARGUMENT: freed already. DEVICE_MISMATCH: a block of another device. What is not ours goes to the driver.
Status free_memory(ThreadBlock &thread, StreamSlot &stream, void *pointer) noexcept;

// Makes the device's stream for such frees wait for the present work of the streams; *out_stream is its handle. The block is
// then freed there by free_uncached().
Status order_free(ThreadBlock &thread, void *pointer, StreamSlot *const *streams, size_t count,
                  uint64_t *out_stream) noexcept;
Status free_uncached(ThreadBlock &thread, StreamSlot &stream, void *pointer) noexcept;
// The device of a block that is allocated. INVALID_ARGUMENT: there is none at this address.
Status device_of_block(const void *pointer, Device **out) noexcept;

Status trim_pool(ThreadBlock &thread, PoolSlot &pool, uint64_t keep_bytes) noexcept;
Status pool_stats(ThreadBlock &thread, PoolSlot &pool, gs_pool_stats_t *out) noexcept;
Status reset_pool_peak(ThreadBlock &thread, PoolSlot &pool) noexcept;
void limit_pool(PoolSlot &pool, uint64_t bytes) noexcept;
// gs_trim: the front caches of all streams, and pools that have ended.
Status trim_memory(ThreadBlock &thread) noexcept;

} // namespace gs
