// SPDX-License-Identifier: Apache-2.0
#include "tools/trace/trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>

#include "base/clock.hpp"
#include "core/seam/core_services.hpp"
#include "tools/recorder/event_log.hpp"
#include "tools/recorder/log_notes.hpp"
#include "tools/recorder/log_ring.hpp"
#include "tools/tool_locks.hpp"
#include "tools/trace/nvtx_tool.hpp"

namespace gs::trace {
namespace {

using recorder::LogCall;
using recorder::LogEntry;

constexpr uint64_t kFewestOperations = 16;
constexpr uint64_t kUsualOperations = 16384;
constexpr uint64_t kMostOperations = 1u << 20;

struct State {
    bool exists = false;
    bool starts = false; // a thread is in start_trace(); the rest is still about the trace before
    bool runs = false;
    bool device_times = false;
    uint64_t number = 0; // of the last one that was started
    uint64_t from_ns = 0, until_ns = 0;
};
State g_trace GS_GUARDED_BY(g_trace_mutex);

struct TraceSink {
    TraceFunction fn = nullptr;
    void *arg = nullptr;
};
TraceSink g_trace_sink GS_GUARDED_BY(g_trace_mutex);

bool has_text(LogCall call) noexcept {
    return call == LogCall::RangePush || call == LogCall::RangeStart || call == LogCall::Mark;
}

// Public numbers never change; those of the log begin one lower, in the same order.
static_assert(static_cast<int32_t>(LogCall::Record) + 1 == GS_TRACED_RECORD);
static_assert(static_cast<int32_t>(LogCall::WaitStream) + 1 == GS_TRACED_WAIT_STREAM);
static_assert(static_cast<int32_t>(LogCall::Submit) + 1 == GS_TRACED_WORK);
static_assert(static_cast<int32_t>(LogCall::HostFunction) + 1 == GS_TRACED_HOST_FUNCTION);
static_assert(static_cast<int32_t>(LogCall::WaitWord) + 1 == GS_TRACED_WAIT_VALUE);
static_assert(static_cast<int32_t>(LogCall::Free) + 1 == GS_TRACED_FREE);
static_assert(static_cast<int32_t>(LogCall::SeenTimeline) + 1 == GS_TRACED_TIMELINE_DONE);
static_assert(static_cast<int32_t>(LogCall::RangePush) + 1 == GS_TRACED_RANGE_PUSH);
static_assert(static_cast<int32_t>(LogCall::Mark) + 1 == GS_TRACED_MARK);

// The value of a record is the library's own.
uint64_t public_value(const LogEntry &entry) noexcept {
    const bool is_record =
        entry.call == LogCall::Record || entry.call == LogCall::Wait || entry.call == LogCall::SeenEvent;
    return is_record || has_text(entry.call) ? 0 : entry.value;
}

void on_operation(const LogEntry &entry) noexcept {
    TraceSink sink;
    {
        MutexLock lock(g_trace_mutex);
        sink = g_trace_sink;
    }
    if (!sink.fn) return;
    call_application([&] {
        sink.fn(sink.arg, static_cast<int32_t>(entry.call) + 1, entry.stream, entry.object, public_value(entry),
                has_text(entry.call) ? recorder::text_with_number(static_cast<uint32_t>(entry.value)) : nullptr);
    });
}

Status check_kept(uint64_t number) noexcept GS_REQUIRES(g_trace_mutex) {
    if (g_trace.exists && (number == 0 || number == g_trace.number)) return kOk;
    if (number == 0) return fail(GS_ERROR_NOT_RECORDED, "no trace was started: gs_trace_begin()");
    const auto shown = static_cast<unsigned long long>(number);
    if (number > g_trace.number)
        return fail(GS_ERROR_NOT_RECORDED, "no trace %llu was started: gs_trace_begin()", shown);
    return fail(
        GS_ERROR_NOT_RECORDED,
        "trace %llu is no longer kept: another one was started since; write each trace before the next one starts",
        shown);
}

} // namespace

Status start_trace(ThreadBlock &thread, const gs_trace_options_t &options, uint64_t *out_number) noexcept {
    if (options.operations > kMostOperations)
        return fail(GS_ERROR_INVALID_ARGUMENT, "%llu operations of each thread are more than %llu",
                    static_cast<unsigned long long>(options.operations),
                    static_cast<unsigned long long>(kMostOperations));
    const uint64_t operations = options.operations == 0 ? kUsualOperations : options.operations;
    const bool device_times = (options.flags & GS_TRACE_DEVICE_TIMES) != 0;
    guard_tool_locks();
    {
        MutexLock lock(g_trace_mutex);
        if (g_trace.runs || g_trace.starts)
            return fail(GS_ERROR_NOT_PERMITTED, "a trace is running: gs_trace_end() ends it");
        g_trace.starts = true;
    }
    const Status status = device_times ? start_regions(thread) : kOk;
    MutexLock lock(g_trace_mutex);
    const uint64_t number = g_trace.number + (status.ok() ? 1 : 0);
    g_trace = {status.ok(), false, status.ok(), device_times, number, UINT64_MAX, UINT64_MAX};
    if (!status.ok()) return status;
    recorder::start_traced_log(std::bit_ceil(std::max(operations, kFewestOperations)));
    g_trace.from_ns = monotonic_ns();
    *out_number = number;
    return kOk;
}

Status end_trace(uint64_t number) noexcept {
    guard_tool_locks();
    MutexLock lock(g_trace_mutex); // to the end: a trace that another thread starts then is not stopped with this one
    if (!g_trace.runs || number != g_trace.number)
        return fail(GS_ERROR_SCOPE, "trace %llu is not running", static_cast<unsigned long long>(number));
    g_trace.runs = false;
    g_trace.until_ns = monotonic_ns();
    stop_regions();
    recorder::stop_traced_log();
    return kOk;
}

void set_trace_function(TraceFunction fn, void *arg) noexcept {
    guard_tool_locks();
    MutexLock lock(g_trace_mutex); // to the end: else of two threads one sets the function and the other its calls
    g_trace_sink = {fn, arg};
    recorder::set_log_listener(fn ? on_operation : nullptr);
}

Status take_snapshot(uint64_t number, Snapshot *out) {
    guard_tool_locks();
    out->process = static_cast<uint64_t>(getpid());
    {
        MutexLock lock(g_trace_mutex);
        GS_TRY(check_kept(number));
        out->trace = g_trace.number;
        out->from_ns = g_trace.from_ns;
        out->until_ns = g_trace.runs ? monotonic_ns() : g_trace.until_ns;
        out->device_times = g_trace.device_times;
    }
    for (const ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next) {
        const LogRing *ring = recorder::ring_of_thread(*thread);
        if (!ring) continue;
        out->dropped += ring->dropped();
        LogEntry entry;
        for (uint64_t at = 0; at < ring->size(); ++at)
            if (ring->read(at, &entry) && entry.time_ns >= out->from_ns && entry.time_ns <= out->until_ns)
                out->entries.push_back(entry);
    }
    sort_by_time(out->entries);
    return kOk;
}

bool is_kept(uint64_t number) noexcept {
    guard_tool_locks();
    MutexLock lock(g_trace_mutex);
    return g_trace.exists && !g_trace.starts && g_trace.number == number;
}

// Ranges and marks of threads (core/open_ranges.hpp): to the log and to a tool of NVTX, whichever there is.

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
