// SPDX-License-Identifier: Apache-2.0
// The trace: a part of the log, from a start to a stop, and what it is written from.
#pragma once

#include <vector>

#include "base/sort.hpp"
#include "base/status.hpp"
#include "base/thread_block.hpp"
#include "tools/recorder/log_ring.hpp"

namespace gs::trace {

// INVALID_ARGUMENT: so many operations of each thread are too many. NOT_PERMITTED while one runs. The number is the trace's, and
// never 0.
Status start_trace(ThreadBlock &thread, const gs_trace_options_t &options, uint64_t *out_number) noexcept;
Status end_trace(uint64_t number) noexcept; // SCOPE: that one does not run

// fn hears of each operation; nullptr: none.
using TraceFunction = void (*)(void *arg, int32_t kind, uint64_t stream, uint64_t object, uint64_t value,
                               const char *text);
void set_trace_function(TraceFunction fn, void *arg) noexcept;

struct Snapshot {
    uint64_t trace = 0; // its number
    uint64_t process = 0;
    const char *ranges = "user_annotation"; // their category, and that of their times on the device:
    const char *regions = "gpu_user_annotation";
    uint64_t from_ns = 0, until_ns = 0; // until now, if it runs
    uint64_t dropped = 0;
    bool device_times = false;
    std::vector<recorder::LogEntry> entries; // in the order of their times
};
// Those of one thread have different times.
inline void sort_by_time(std::vector<recorder::LogEntry> &entries) noexcept {
    sort_elements(entries.data(), entries.size(), [](const recorder::LogEntry &a, const recorder::LogEntry &b) {
        return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.thread < b.thread;
    });
}
// number: 0 for the trace that is kept. NOT_RECORDED: no such trace was started, or another one since. May throw
// std::bad_alloc.
Status take_snapshot(uint64_t number, Snapshot *out);
// Whether no other one has started, or is about to: what was read until then is of this trace.
bool is_kept(uint64_t number) noexcept;

// Ranges of threads that are timed on the device: by an event at each end, in the stream that was current at the beginning; and, by an
// event at the end, in the other streams to which the thread submitted work inside the range.

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
