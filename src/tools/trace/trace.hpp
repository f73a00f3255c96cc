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
// NOT_RECORDED: no trace was ever started. May throw std::bad_alloc.
Status take_snapshot(Snapshot *out);

} // namespace gs::trace
