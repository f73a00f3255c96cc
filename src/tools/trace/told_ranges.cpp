// SPDX-License-Identifier: Apache-2.0
// Ranges and marks of threads (core/open_ranges.hpp): to the log and to a tool of NVTX, whichever there is.
#include "tools/recorder/log_notes.hpp"
#include "tools/recorder/log_texts.hpp"
#include "tools/trace/nvtx_tool.hpp"
#include "tools/trace/regions.hpp"

namespace gs::trace {
namespace {

using recorder::LogCall;

void note_named(LogCall call, uint64_t object, const char *name) noexcept {
    if (recorder::is_logged()) recorder::note(call, 0, object, recorder::log_text(name));
}

} // namespace

void saw_push(ThreadBlock &thread, const char *name) noexcept {
    note_named(LogCall::RangePush, 0, name);
    tell_push(name);
    if (times_regions())
        begin_region(thread, recorder::log_text(name));
    else if (thread.open_regions)
        thread.open_regions[thread.open_ranges - 1] = 0;
}

void before_pop(ThreadBlock &thread) noexcept {
    end_region(thread);
    recorder::note(LogCall::RangePop, 0);
    tell_pop();
}

uint64_t saw_range(uint64_t number, const char *name) noexcept {
    note_named(LogCall::RangeStart, number, name);
    return tell_start(name);
}

void saw_range_end(uint64_t number, uint64_t of_tool) noexcept {
    recorder::note(LogCall::RangeEnd, 0, number);
    if (of_tool != 0) tell_end(of_tool);
}

void saw_mark(const char *text) noexcept {
    note_named(LogCall::Mark, 0, text);
    tell_mark(text);
}

} // namespace gs::trace
