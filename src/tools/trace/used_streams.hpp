// SPDX-License-Identifier: Apache-2.0
// The streams to which a thread has submitted work inside a range.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/thread_block.hpp"

namespace gs::trace {

struct UsedStream {
    uint64_t stream = 0;
    uint64_t first_ns = 0; // when its first work had been submitted
};
inline constexpr size_t kMostUsed = 16; // of a range

// Of the innermost range that the calling thread has open, by its log: how many. Operations in streams beyond them are counted.
size_t streams_used(const ThreadBlock &thread, UsedStream (&out)[kMostUsed], uint64_t *out_beyond) noexcept;

} // namespace gs::trace
