// SPDX-License-Identifier: Apache-2.0
#include "front/watch.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/own_file.hpp"
#include "front/driver.hpp"
#include "front/front_locks.hpp"
#include "front/run_settings.hpp"
#include "tools/call_stack.hpp"
#include "tools/leaks/leaks.hpp"
#include "tools/recorder/sync_sites.hpp"

namespace gs::front {
namespace {

std::atomic<int32_t> g_captures{0};
std::atomic<bool> g_is_used{false};   // a watched function was called
std::atomic<bool> g_unchecked{false}; // the checker has failed: its silence means nothing
pid_t g_watched_process = 0;          // set before the function at exit

constexpr uint64_t kLongCopyNs = 100000; // a copy that holds its thread so long has waited for something

bool makes_something(DriverCall kind) noexcept {
    return kind == DriverCall::MakeStream || kind == DriverCall::MakeEvent || kind == DriverCall::Allocate ||
           kind == DriverCall::AllocateNow || kind == DriverCall::AllocateHost || kind == DriverCall::Instantiate;
}

void follow_captures(const Call &call) noexcept {
    if (call.row->kind == DriverCall::BeginCapture && call.result == CUDA_SUCCESS)
        g_captures.fetch_add(1, std::memory_order_relaxed);
    if (call.row->kind != DriverCall::EndCapture) return;
    // With these results the capture has ended, too.
    const bool ended = call.result == CUDA_SUCCESS || call.result == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED ||
                       call.result == CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    if (ended && any_capture()) g_captures.fetch_sub(1, std::memory_order_relaxed);
}

void note_blocking(const Call &call) noexcept {
    const bool long_copy = call.row->kind == DriverCall::Copy && call.took_ns >= kLongCopyNs;
    if (!may_block(call.row->kind) && !long_copy) return;
    try {
        recorder::note_sync_at(python_line(), call.row->symbol, call.took_ns);
    } catch (const std::bad_alloc &) {
        recorder::note_sync(call.row->symbol, call.took_ns);
    }
}

// Runs when the program exits; asks no driver. A forked child has its parent's numbers, so it reports none.
void report() noexcept {
    if (getpid() != g_watched_process) return;
    if (watches(kStats)) write_stats();
    if (watches(kSyncs)) {
        const ReportFile file;
        recorder::TextSink out(file.fd());
        recorder::write_syncs(out);
        out.finish();
    }
    if (watches(kCaptures)) write_captures();
    if (watches(kCheck) && !g_unchecked.load(std::memory_order_relaxed)) write_races();
    if (watches(kDelays)) write_delays();
}

} // namespace

bool may_block(DriverCall kind) noexcept {
    switch (kind) {
    case DriverCall::SyncStream:
    case DriverCall::SyncEvent:
    case DriverCall::SyncContext:
    case DriverCall::CopyNow:
    case DriverCall::FreeNow:
    case DriverCall::Blocking: return true;
    default: return false;
    }
}

bool is_work(DriverCall kind) noexcept {
    switch (kind) {
    case DriverCall::Kernel:
    case DriverCall::GraphLaunch:
    case DriverCall::HostFunction:
    case DriverCall::Write:
    case DriverCall::Copy:
    case DriverCall::CopyNow:
    case DriverCall::Fill: return true;
    default: return false;
    }
}

void leave_mark(const char *ending) noexcept {
    char path[PATH_MAX + 32];
    std::snprintf(path, sizeof path, "%s/%d%s", g_settings.folder, static_cast<int>(getpid()), ending);
    const char *problem = nullptr;
    const int fd = open_own_file(path, O_WRONLY | O_CREAT, &problem);
    if (fd < 0) return log_message(GS_LOG_WARNING, "'%s' cannot be written: %s", path, problem);
    close(fd);
}

void leave_unchecked(const char *what, const char *why) noexcept {
    log_message(GS_LOG_ERROR, "the ordering checker %s%s", what, why);
    g_unchecked.store(true, std::memory_order_relaxed);
    leave_mark(".unchecked");
}

bool any_capture() noexcept { return g_captures.load(std::memory_order_relaxed) > 0; }

uint64_t driver_stream(const Call &call) noexcept {
    if (call.stream != 0) return call.stream;
    return call.row->per_thread ? 2 : 1;
}

bool is_captured(const Call &call) noexcept {
    if (!any_capture() || !call.row->has_stream || !g_real.is_capturing) return false;
    if (call.row->kind == DriverCall::AddNode) return false; // it has a graph there
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const auto stream = reinterpret_cast<CUstream>(driver_stream(call));
    return g_real.is_capturing(stream, &status) == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

void start_watch() noexcept {
    if (g_settings.folder[0] != '\0') leave_mark(".seen");
    if (g_settings.watch == 0) return;
    guard_front_locks();
    g_watched_process = getpid();
    if (std::atexit(report) != 0) log_message(GS_LOG_WARNING, "no memory for the report at exit");
    if (watches(kLog)) begin_log();
    if (watches(kSyncs)) recorder::watch_syncs();
    if (watches(kLeaks)) watch_leaks(write_report);
    if (watches(kCheck)) begin_check();
    if (watches(kLearn)) begin_learning();
    if (watches(kDelays)) begin_delays();
}

namespace {

// A thread that the program cancels while it is in a call ends in the driver or later, and not in what watches the call.
class NoCancel {
public:
    NoCancel() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    ~NoCancel() { pthread_setcancelstate(before_, nullptr); }
    NoCancel(const NoCancel &) = delete;
    NoCancel &operator=(const NoCancel &) = delete;

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

} // namespace

void before_call(Call &call) noexcept {
    const NoCancel no_cancel;
    if (!g_is_used.load(std::memory_order_relaxed) && !g_is_used.exchange(true, std::memory_order_relaxed))
        leave_mark(".used");
    if (watches(kDelays)) before_delayed(call);
    if (watches(kLog)) before_logged(call);
    if (watches(kCheck)) before_checked(call);
    if (watches(kDeviceTimes)) before_timed(call);
    if (watches(kLearn)) before_learnt(call);
    if (watches(kStats | kSyncs)) call.began_ns = monotonic_ns();
}

void after_call(Call &call) noexcept {
    const NoCancel no_cancel;
    if (watches(kStats | kSyncs)) call.took_ns = monotonic_ns() - call.began_ns;
    if (watches(kLearn)) saw_learnt(call);
    if (watches(kStats)) count_call(call);
    if (watches(kSyncs)) note_blocking(call);
    if (watches(kDeviceTimes)) saw_timed(call);
    follow_captures(call);
    if (watches(kCaptures)) saw_capture(call);
    if (call.result == CUDA_SUCCESS && makes_something(call.row->kind))
        call.object = *reinterpret_cast<const uint64_t *>(call.object);
    if (watches(kLog)) saw_logged(call);
    if (watches(kCheck)) saw_checked(call);
    if (watches(kLeaks)) saw_birth(call);
    if (watches(kDelays)) saw_delayed(call);
}

} // namespace gs::front
