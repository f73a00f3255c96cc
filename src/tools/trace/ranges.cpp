// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/ranges.hpp"

#include "core/fork_locks.hpp"
#include "tools/recorder/log_notes.hpp"
#include "tools/recorder/log_texts.hpp"
#include "tools/recorder/open_ranges.hpp"
#include "tools/trace/nvtx_tool.hpp"
#include "tools/trace/regions.hpp"

namespace gs::trace {
namespace {

using recorder::LogCall;

void note_named(LogCall call, uint64_t object, const char *name) noexcept {
    if (recorder::is_logged()) recorder::note(call, 0, object, recorder::log_text(name));
}

// A range's number is that of its place and how many ranges were started before it, so that no number comes again.
struct StartedRange {
    uint64_t number = 0; // 0: the place is free
    uint64_t of_tool = 0;
};
StartedRange g_started_ranges[kMostStartedRanges] GS_GUARDED_BY(g_trace_mutex);
uint64_t g_ranges_started GS_GUARDED_BY(g_trace_mutex) = 0;

StartedRange *find_place(uint64_t *out_number) noexcept GS_REQUIRES(g_trace_mutex) {
    for (uint64_t tried = 0; tried < kMostStartedRanges; ++tried) {
        const uint64_t place = (g_ranges_started + tried) % kMostStartedRanges;
        if (g_started_ranges[place].number != 0) continue;
        *out_number = ++g_ranges_started * kMostStartedRanges + place;
        return &g_started_ranges[place];
    }
    return nullptr;
}

} // namespace

Status push_range(ThreadBlock &thread, const char *name) noexcept {
    if (thread.open_ranges == kMostOpenRanges)
        return fail(GS_ERROR_FULL, "%u ranges of this thread are open, which is the most", kMostOpenRanges);
    ++thread.open_ranges;
    note_named(LogCall::RangePush, 0, name);
    if (OpenRanges *ranges = recorder::open_ranges_of(thread)) ranges->push(os_id(thread), name);
    tell_push(name);
    if (times_regions())
        begin_region(thread, recorder::log_text(name));
    else if (thread.open_regions)
        thread.open_regions[thread.open_ranges - 1] = 0;
    return kOk;
}

Status pop_range(ThreadBlock &thread) noexcept {
    if (thread.open_ranges == 0) return fail(GS_ERROR_SCOPE, "no range of this thread is open");
    end_region(thread);
    --thread.open_ranges;
    if (OpenRanges *ranges = thread.ranges.load(std::memory_order_relaxed)) ranges->pop();
    recorder::note(LogCall::RangePop, 0);
    tell_pop();
    return kOk;
}

// The tool is called with no lock held, so another thread may end a range, by a number that it guesses, before the tool's
// number is known: then the tool does not hear of that end.
Status start_range(const char *name, uint64_t *out_range) noexcept {
    guard_locks_in_fork();
    uint64_t number = 0;
    StartedRange *range = nullptr;
    {
        MutexLock lock(g_trace_mutex);
        range = find_place(&number);
        if (!range) return fail(GS_ERROR_FULL, "%u started ranges are open, which is the most", kMostStartedRanges);
        *range = {number, 0};
    }
    note_named(LogCall::RangeStart, number, name);
    const uint64_t of_tool = tell_start(name);
    if (of_tool != 0) {
        MutexLock lock(g_trace_mutex);
        if (range->number == number) range->of_tool = of_tool;
    }
    *out_range = number;
    return kOk;
}

Status end_range(uint64_t number) noexcept {
    guard_locks_in_fork();
    uint64_t of_tool = 0;
    {
        MutexLock lock(g_trace_mutex);
        StartedRange &range = g_started_ranges[number % kMostStartedRanges];
        if (number == 0 || range.number != number)
            return fail(GS_ERROR_SCOPE, "no range with number %llu is open", static_cast<unsigned long long>(number));
        of_tool = range.of_tool;
        range = {};
    }
    recorder::note(LogCall::RangeEnd, 0, number);
    if (of_tool != 0) tell_end(of_tool);
    return kOk;
}

void add_mark(const char *text) noexcept {
    note_named(LogCall::Mark, 0, text);
    tell_mark(text);
}

} // namespace gs::trace
