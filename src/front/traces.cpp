// SPDX-License-Identifier: Apache-2.0
#include "front/traces.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "base/own_file.hpp"
#include "base/status.hpp"
#include "front/call.hpp"
#include "front/driver_log.hpp"
#include "tools/recorder/file_evidence.hpp"
#include "tools/recorder/log_texts.hpp"
#include "tools/trace/stream_place.hpp"
#include "tools/trace/trace_json.hpp"

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

Status write_one(const trace::Snapshot &snapshot, const std::string &path) {
    const trace::Parts parts = trace::make_parts(snapshot, {});
    const char *problem = nullptr;
    int fd = open_own_file(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, &problem);
    if (fd < 0) return fail(GS_ERROR_SYSTEM, "'%s' cannot be written: %s", path.c_str(), problem);
    const Status status = trace::write_json(snapshot, {}, parts, put, &fd);
    const int code = status.ok() ? 0 : errno;
    close(fd);
    return status.ok() ? kOk : fail(GS_ERROR_SYSTEM, "'%s' cannot be written: %s", path.c_str(), std::strerror(code));
}

std::string path_of(std::string file, uint64_t process) {
    const size_t slash = file.rfind('/'), dot = file.rfind('.');
    const bool has_ending = dot != std::string::npos && (slash == std::string::npos || dot > slash);
    return file.insert(has_ending ? dot : file.size(), "." + std::to_string(process));
}

Status write_all(const char *const *logs, size_t count, const std::string &file) {
    std::vector<trace::Snapshot> traced;
    for (size_t i = 0; i < count; ++i) {
        trace::Snapshot snapshot;
        GS_TRY(read_log(logs[i], &snapshot));
        if (!snapshot.entries.empty()) traced.push_back(std::move(snapshot));
    }
    if (traced.empty()) return fail(GS_ERROR_NOT_RECORDED, "no call that a trace shows was seen");
    for (const trace::Snapshot &one : traced)
        GS_TRY(write_one(one, traced.size() == 1 ? file : path_of(file, one.process)));
    return kOk;
}

} // namespace

const char *write_traces(const char *const *logs, size_t count, const char *file) noexcept {
    try {
        return write_all(logs, count, file).ok() ? nullptr : pending_text();
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
