// SPDX-License-Identifier: Apache-2.0
#include "core/fork_locks.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/open_ranges.hpp"

namespace gs {
namespace {

// A range's number is that of its place and how many ranges were started before it, so that no number comes again.
struct StartedRange {
    uint64_t number = 0; // 0: the place is free
    uint64_t of_tool = 0;
};
StartedRange g_started_ranges[kMostStartedRanges] GS_GUARDED_BY(g_ranges_mutex);
uint64_t g_ranges_started GS_GUARDED_BY(g_ranges_mutex) = 0;

StartedRange *find_place(uint64_t *out_number) noexcept GS_REQUIRES(g_ranges_mutex) {
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
    tools::saw_push(thread, name);
    if (OpenRanges *ranges = open_ranges_of(thread)) ranges->push(os_id(thread), name);
    return kOk;
}

Status pop_range(ThreadBlock &thread) noexcept {
    if (thread.open_ranges == 0) return fail(GS_ERROR_SCOPE, "no range of this thread is open");
    tools::before_pop(thread);
    --thread.open_ranges;
    if (OpenRanges *ranges = thread.ranges.load(std::memory_order_relaxed)) ranges->pop();
    return kOk;
}

// The tools are called without the lock. So another thread may guess a number and end that range, before the
// number that a tool has for it is known. The tool does not hear of that end.
Status start_range(const char *name, uint64_t *out_range) noexcept {
    guard_locks_in_fork();
    uint64_t number = 0;
    StartedRange *range = nullptr;
    {
        MutexLock lock(g_ranges_mutex);
        range = find_place(&number);
        if (!range) return fail(GS_ERROR_FULL, "%u started ranges are open, which is the most", kMostStartedRanges);
        *range = {number, 0};
    }
    const uint64_t of_tool = tools::saw_range(number, name);
    if (of_tool != 0) {
        MutexLock lock(g_ranges_mutex);
        if (range->number == number) range->of_tool = of_tool;
    }
    *out_range = number;
    return kOk;
}

Status end_range(uint64_t number) noexcept {
    guard_locks_in_fork();
    uint64_t of_tool = 0;
    {
        MutexLock lock(g_ranges_mutex);
        StartedRange &range = g_started_ranges[number % kMostStartedRanges];
        if (number == 0 || range.number != number)
            return fail(GS_ERROR_SCOPE, "no range with number %llu is open", static_cast<unsigned long long>(number));
        of_tool = range.of_tool;
        range = {};
    }
    tools::saw_range_end(number, of_tool);
    return kOk;
}

} // namespace gs
