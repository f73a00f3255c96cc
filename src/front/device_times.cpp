// SPDX-License-Identifier: Apache-2.0
// --device-times: when the device did what a call has put in a stream. Two timed events of the front are recorded in that stream, one ahead
// of the call and one behind it. Nothing waits for them, so the program's order stays as it is.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <new>
#include <vector>

#include "base/clock.hpp"
#include "base/thread_block.hpp"
#include "front/driver.hpp"
#include "front/front_locks.hpp"
#include "front/watch.hpp"

namespace gs::front {
namespace {

constexpr size_t kMostPending = 4096; // of a context: work whose end no one has seen
constexpr int kTries = 5;
constexpr int64_t kComparedFor = 1'000'000'000; // ns until the clocks are compared again
constexpr int64_t kPatience = 10'000'000;       // ns for one record in a stream without work
constexpr double kDrift = 600e-6;               // as core/event/calibration.cpp has it
constexpr double kStepOfEvents = 500;           // ns

struct Pending {
    CUevent begin, end;
    TimedWork work;
};

struct StreamTimes {
    std::deque<Pending> pending;
    int64_t until_ns = 0; // of the last work that is known: events are rounded, spans of a stream may not overlap
};

// A context's clock: an event whose time is known by the host's clock as well.
struct Clock {
    CUstream idle = nullptr; // no work comes here
    CUevent compared = nullptr;
    int64_t host_ns = 0, error_ns = 0;
    std::vector<CUevent> spare;
    std::map<uint64_t, StreamTimes> streams; // by their numbers in the log
    size_t pending = 0;
};

std::map<CUcontext, Clock> *g_clocks GS_GUARDED_BY(g_times_mutex) = nullptr;

int64_t now() noexcept { return static_cast<int64_t>(monotonic_ns()); }

bool has_functions() noexcept {
    return g_real.create_stream && g_real.create_event && g_real.record_event && g_real.query_event &&
           g_real.elapsed_time;
}

// nullptr: the driver refuses.
CUevent take_event(Clock &clock) {
    CUevent event = nullptr;
    if (clock.spare.empty()) return g_real.create_event(&event, CU_EVENT_DEFAULT) == CUDA_SUCCESS ? event : nullptr;
    event = clock.spare.back();
    clock.spare.pop_back();
    return event;
}

bool record(CUevent event, uint64_t stream) noexcept {
    return event && g_real.record_event(event, reinterpret_cast<CUstream>(stream)) == CUDA_SUCCESS;
}

// The record takes place between two looks at the host's clock. False: not soon enough.
bool compare_once(Clock &clock, CUevent trial, int64_t *out_ns, int64_t *out_error_ns) noexcept {
    const int64_t before = now();
    if (!record(trial, reinterpret_cast<uintptr_t>(clock.idle))) return false;
    CUresult state = CUDA_ERROR_NOT_READY;
    while (state == CUDA_ERROR_NOT_READY && now() - before < kPatience) state = g_real.query_event(trial);
    *out_error_ns = (now() - before) / 2 + 1;
    *out_ns = before + *out_error_ns;
    return state == CUDA_SUCCESS;
}

void compare(Clock &clock) {
    CUevent best = nullptr;
    int64_t best_ns = 0, best_error = INT64_MAX;
    for (int i = 0; i < kTries; ++i) {
        CUevent trial = take_event(clock);
        int64_t ns = 0, error = 0;
        if (!trial) break;
        const bool better = compare_once(clock, trial, &ns, &error) && error < best_error;
        if (better) std::swap(trial, best), best_ns = ns, best_error = error;
        if (trial) clock.spare.push_back(trial);
    }
    if (!best) return; // as before, then
    if (clock.compared) clock.spare.push_back(clock.compared);
    clock.compared = best;
    clock.host_ns = best_ns;
    clock.error_ns = best_error;
}

bool time_of(const Clock &clock, CUevent event, int64_t *out_ns, int64_t *out_error_ns) noexcept {
    float ms = 0;
    if (!clock.compared || g_real.elapsed_time(&ms, clock.compared, event) != CUDA_SUCCESS) return false;
    const double ns = static_cast<double>(ms) * 1e6;
    *out_ns = clock.host_ns + static_cast<int64_t>(std::llround(ns));
    *out_error_ns = clock.error_ns + static_cast<int64_t>(std::fabs(ns) * kDrift + kStepOfEvents);
    return true;
}

void log_pending(ThreadBlock &thread, const Clock &clock, StreamTimes &stream, Pending &one) noexcept {
    TimedWork &work = one.work;
    if (!time_of(clock, one.begin, &work.from_ns, &work.error_ns) ||
        !time_of(clock, one.end, &work.until_ns, &work.error_ns))
        return;
    work.from_ns = std::max(work.from_ns, stream.until_ns);
    work.until_ns = stream.until_ns = std::max(work.until_ns, work.from_ns);
    log_times(thread, work);
}

void gather(ThreadBlock &thread, Clock &clock, StreamTimes &stream) {
    while (!stream.pending.empty()) {
        Pending &one = stream.pending.front();
        const CUresult state = g_real.query_event(one.end);
        if (state == CUDA_ERROR_NOT_READY) return;
        if (state == CUDA_SUCCESS) { // else the context is broken
            log_pending(thread, clock, stream, one);
            clock.spare.insert(clock.spare.end(), {one.begin, one.end});
        }
        stream.pending.pop_front();
        --clock.pending;
    }
}

void gather_all(ThreadBlock &thread, Clock &clock) {
    for (auto &[number, stream] : clock.streams) gather(thread, clock, stream);
}

Clock *clock_of(CUcontext context) GS_REQUIRES(g_times_mutex) {
    if (!context || !has_functions()) return nullptr;
    if (!g_clocks) g_clocks = new std::map<CUcontext, Clock>; // threads may run until the very end
    Clock &clock = (*g_clocks)[context];
    const bool is_new = !clock.idle;
    if (is_new && g_real.create_stream(&clock.idle, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return nullptr;
    if (is_new || now() - clock.host_ns > kComparedFor) compare(clock);
    return clock.compared ? &clock : nullptr;
}

bool shows_ends(const Call &call) noexcept {
    switch (call.row->kind) {
    case DriverCall::SyncStream:
    case DriverCall::QueryStream:
    case DriverCall::SyncEvent:
    case DriverCall::QueryEvent:
    case DriverCall::SyncContext:
    case DriverCall::FreeNow: return call.result == CUDA_SUCCESS;
    default: return false;
    }
}

void begin(ThreadBlock &thread, Call &call) {
    const StreamContext context(driver_stream(call), true);
    const Relaxed relaxed;
    MutexLock lock(g_times_mutex);
    Clock *clock = clock_of(current_context());
    if (!clock) return;
    if (clock->pending == kMostPending) gather_all(thread, *clock);
    if (clock->pending == kMostPending) return;
    CUevent event = take_event(*clock);
    if (record(event, driver_stream(call)))
        call.began = event;
    else if (record(event, reinterpret_cast<uintptr_t>(clock->idle))) // it is that stream which the driver refuses
        clock->spare.push_back(event);
    else
        g_clocks->erase(current_context()); // which may have got the address of one that has ended
}

void end(ThreadBlock &thread, const Call &call) {
    const StreamContext context(driver_stream(call), true);
    const Relaxed relaxed;
    MutexLock lock(g_times_mutex);
    Clock *clock = clock_of(current_context());
    if (!clock) return;
    CUevent event = call.result == CUDA_SUCCESS ? take_event(*clock) : nullptr;
    if (!record(event, driver_stream(call))) {
        clock->spare.push_back(call.began);
        if (event) clock->spare.push_back(event);
        return;
    }
    TimedWork work;
    work.stream = logged_stream(thread, call);
    work.device = logged_device();
    work.thread = static_cast<uint32_t>(os_id(thread));
    work.row = static_cast<uint32_t>(call.row - kCallRows);
    StreamTimes &stream = clock->streams[work.stream];
    stream.pending.push_back({call.began, event, work});
    ++clock->pending;
    gather(thread, *clock, stream);
}

void gather_contexts(ThreadBlock &thread) {
    const Relaxed relaxed;
    MutexLock lock(g_times_mutex);
    if (!g_clocks) return;
    for (auto &[context, clock] : *g_clocks) gather_all(thread, clock);
}

template <typename Body>
void on_timed(Body &&body) noexcept {
    ThreadBlock *thread = this_thread();
    if (!thread) return;
    try {
        body(*thread);
    } catch (const std::bad_alloc &) {
        // This work has no times.
    }
}

} // namespace

void before_timed(Call &call) noexcept {
    if (is_work(call.row->kind) && !is_captured(call)) on_timed([&](ThreadBlock &thread) { begin(thread, call); });
}

void saw_timed(const Call &call) noexcept {
    if (call.began)
        on_timed([&](ThreadBlock &thread) { end(thread, call); });
    else if (shows_ends(call))
        on_timed([](ThreadBlock &thread) { gather_contexts(thread); });
}

} // namespace gs::front
