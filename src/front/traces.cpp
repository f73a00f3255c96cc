// SPDX-License-Identifier: Apache-2.0
#include "front/watch.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <new>
#include <string>
#include <vector>

#include "base/own_file.hpp"
#include "base/status.hpp"
#include "front/call.hpp"
#include "tools/recorder/core_file.hpp"
#include "tools/recorder/log_notes.hpp"
#include "tools/trace/trace_parts.hpp"

namespace gs::front {
namespace {

Status read_log(const char *path, trace::Snapshot *out) {
    recorder::FileEvidence log;
    GS_TRY(log.read(path));
    log.visit_log(
        [](void *entries, const recorder::LogEntry &entry) noexcept {
            static_cast<std::vector<recorder::LogEntry> *>(entries)->push_back(entry);
        },
        &out->entries);
    out->process = log.process();
    out->ranges = "cuda_driver";
    out->regions = "gpu_work";
    out->dropped = log.dropped();
    if (out->entries.empty()) return kOk;
    trace::sort_by_time(out->entries);
    out->from_ns = out->entries.front().time_ns;
    out->until_ns = out->entries.back().time_ns;
    return kOk;
}

gs_status_t put(void *fd, const char *text, size_t bytes) {
    while (bytes > 0) {
        const ssize_t done = ::write(*static_cast<int *>(fd), text, bytes);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return GS_ERROR_SYSTEM;
        text += done;
        bytes -= static_cast<size_t>(done);
    }
    return GS_OK;
}

bool is_timed_work(recorder::LogCall call) noexcept {
    using recorder::LogCall;
    return call == LogCall::Submit || call == LogCall::Launch || call == LogCall::HostFunction ||
           call == LogCall::Copy || call == LogCall::Fill;
}

// Takes the times of the work out of the entries.
trace::Regions take_regions(trace::Snapshot &snapshot) {
    trace::Regions regions;
    std::map<uint32_t, recorder::LogEntry> begun; // by thread
    size_t work = 0;
    for (const recorder::LogEntry &entry : snapshot.entries) {
        if (is_timed_work(entry.call)) ++work;
        if (entry.call == recorder::LogCall::RanFrom) begun[entry.thread] = entry;
        if (entry.call != recorder::LogCall::RanUntil || begun.count(entry.thread) == 0) continue;
        const TimedWork one = timed_work(begun[entry.thread], entry);
        regions.timed.push_back({one.stream, static_cast<uint32_t>(one.device), one.from_ns, one.until_ns, one.error_ns,
                                 one.row, one.thread});
    }
    std::erase_if(snapshot.entries, [](const recorder::LogEntry &entry) {
        return entry.call == recorder::LogCall::RanFrom || entry.call == recorder::LogCall::RanUntil;
    });
    regions.not_timed = work - std::min(work, regions.timed.size());
    return regions;
}

Status write_one(trace::Snapshot &snapshot, const std::string &path, bool device_times) {
    trace::Regions regions = take_regions(snapshot);
    if (!device_times) regions.not_timed = 0;
    const trace::Parts parts = trace::make_parts(snapshot, regions);
    const char *problem = nullptr;
    int fd = open_own_file(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, &problem);
    if (fd < 0) return fail(GS_ERROR_SYSTEM, "'%s' cannot be written: %s", path.c_str(), problem);
    const Status status = trace::write_json(snapshot, regions, parts, put, &fd);
    const int code = status.ok() ? 0 : errno;
    close(fd);
    return status.ok() ? kOk : fail(GS_ERROR_SYSTEM, "'%s' cannot be written: %s", path.c_str(), std::strerror(code));
}

std::string path_of(std::string file, uint64_t process) {
    const size_t slash = file.rfind('/'), dot = file.rfind('.');
    const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
    return file.insert(has_ending ? dot : file.size(), "." + std::to_string(process));
}

Status write_all(const char *const *logs, size_t count, const std::string &file, bool device_times) {
    std::vector<trace::Snapshot> traced;
    for (size_t i = 0; i < count; ++i) {
        trace::Snapshot snapshot;
        GS_TRY(read_log(logs[i], &snapshot));
        if (!snapshot.entries.empty()) traced.push_back(std::move(snapshot));
    }
    if (traced.empty()) return fail(GS_ERROR_NOT_RECORDED, "no call that a trace shows was seen");
    for (trace::Snapshot &one : traced)
        GS_TRY(write_one(one, traced.size() == 1 ? file : path_of(file, one.process), device_times));
    return kOk;
}

} // namespace

const char *write_traces(const char *const *logs, size_t count, const char *file, int device_times) noexcept {
    try {
        return write_all(logs, count, file, device_times != 0).ok() ? nullptr : pending_text();
    } catch (const std::bad_alloc &) {
        return "no memory to write a trace";
    }
}

} // namespace gs::front

namespace gs {

// For the trace, which asks the core elsewhere.
trace::StreamPlace trace::place_of_stream(uint64_t stream, uint32_t device) noexcept {
    return {device == 0 ? 0 : static_cast<int32_t>(device) - 1, front::is_default_stream(stream)};
}

// The text of a range is the driver's function.
const char *recorder::text_with_number(uint32_t number) noexcept {
    return number < front::kCallRowCount ? front::kCallRows[number].symbol : "...";
}

} // namespace gs
