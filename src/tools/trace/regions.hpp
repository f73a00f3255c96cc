// SPDX-License-Identifier: Apache-2.0
// Ranges of threads that are timed on the device: by an event at each end, in the stream that was current at the beginning; and, by an
// event at the end, in the other streams to which the thread submitted work inside the range.
#pragma once

#include <vector>

#include "base/status.hpp"
#include "base/thread_block.hpp"

namespace gs::trace {

inline constexpr size_t kMostRegions = 16384; // in a trace; those beyond are counted

// Forgets what there was. OUT_OF_MEMORY.
Status start_regions(ThreadBlock &thread) noexcept;
void stop_regions() noexcept; // none begins any more
bool times_regions() noexcept;

// Around a range, whose name is a number of log_notes.hpp. What goes wrong makes the range one that is not timed.
void begin_region(ThreadBlock &thread, uint32_t name) noexcept;
void end_region(ThreadBlock &thread) noexcept; // before open_ranges is counted down

struct TimedRegion {
    uint64_t stream;
    uint32_t device;           // its index, plus 1, as in a LogEntry: the stream may have ended
    int64_t from_ns, until_ns; // CLOCK_MONOTONIC
    int64_t error_ns;
    uint32_t name;
    uint32_t thread;
};
struct Regions {
    std::vector<TimedRegion> timed;
    uint64_t not_timed = 0; // no room, no event, in a capture, or in a stream that has ended
    uint64_t pending = 0;   // the range or its work is not done yet
};
// Blocks to compare clocks. May throw std::bad_alloc.
Regions resolve_regions(ThreadBlock &thread);

} // namespace gs::trace
