// SPDX-License-Identifier: Apache-2.0
// Ranges and marks of threads: they are counted here, and told to the tools.
#pragma once

#include "base/status.hpp"
#include "base/thread_block.hpp"

namespace gs {

inline constexpr uint32_t kMostOpenRanges = 256;     // of a thread
inline constexpr uint32_t kMostStartedRanges = 1024; // of the process

Status push_range(ThreadBlock &thread, const char *name) noexcept;  // FULL
Status pop_range(ThreadBlock &thread) noexcept;                     // SCOPE
Status start_range(const char *name, uint64_t *out_range) noexcept; // FULL
Status end_range(uint64_t range) noexcept;                          // SCOPE

} // namespace gs
