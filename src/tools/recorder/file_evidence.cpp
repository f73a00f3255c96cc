// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/core_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/clock.hpp"
#include "base/sort.hpp"
#include "core/slots.hpp"

namespace gs::recorder {
namespace {

constexpr size_t kMostStreams = 1024;                  // that are written
constexpr size_t kMostTaken = size_t{1} << 22;         // entries, of all threads
constexpr uint64_t kMostRead = uint64_t{1} << 26;      // places: a core file may name the same memory for all threads
constexpr size_t kPiece = 1024 * sizeof(LogFilePlace); // that is read at a time

Status failed_read(const char *path) noexcept {
    return fail(GS_ERROR_SYSTEM, "'%s' cannot be read: %s", path, std::strerror(errno));
}

// What a writer changes in the meantime differs between two readings and is left out. Zeros, which no place holds, stand
// for it.
template <typename Item>
Status read_twice(const LogBytes &log, size_t at, std::vector<Item> &out, size_t *out_count) {
    std::vector<Item> again(out.size());
    const ssize_t first = log.read(out.data(), out.size() * sizeof(Item), at);
    const ssize_t second = log.read(again.data(), out.size() * sizeof(Item), at);
    if (first < 0 || second < 0) return Status{GS_ERROR_SYSTEM};
    *out_count = static_cast<size_t>(std::min(first, second)) / sizeof(Item);
    for (size_t i = 0; i < *out_count; ++i)
        if (std::memcmp(&out[i], &again[i], sizeof(Item)) != 0) out[i] = {};
    return kOk;
}

} // namespace

Status FileEvidence::read(const char *path) {
    const LogFileReader file(path);
    if (!file.is_open()) return failed_read(path);
    CoreFile core(file);
    const bool is_core = core.find_log();
    const LogBytes &log = is_core ? static_cast<const LogBytes &>(core) : file;
    GS_TRY(read_header(log, path));
    process_lives_ = !is_core && file.is_being_written();
    if (!read_names(log).ok() || !read_rings(log).ok()) return failed_read(path);
    collect_streams();
    if (process_lives_) now_ns_ = std::max(now_ns_, monotonic_ns());
    return kOk;
}

Status FileEvidence::read_header(const LogBytes &log, const char *path) {
    const ssize_t got = log.read(&header_, sizeof header_, 0);
    if (got < 0) return failed_read(path);
    const bool ours = static_cast<size_t>(got) == sizeof header_ &&
                      std::memcmp(header_.magic, kLogMagic, sizeof kLogMagic) == 0 && header_.version == kLogVersion &&
                      header_.byte_order == kLogByteOrder;
    const uint64_t entries = header_.entries;
    if (!ours || entries == 0 || entries > kMostLogEntries || (entries & (entries - 1)) != 0)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "'%s' is not a log file of this version of gpustream, nor a core file with such a log", path);
    process_ = header_.process;
    entries_per_ring_ = entries;
    return kOk;
}

Status FileEvidence::read_names(const LogBytes &log) {
    std::vector<LogFileName> names(kLogFileNames);
    size_t count = 0;
    GS_TRY(read_twice(log, kLogNamesAt, names, &count));
    for (size_t i = 0; i < count; ++i) {
        if (names[i].handle == 0) continue;
        names[i].text[kNameBytes - 1] = '\0';
        make_printable_name(names[i].text, names_[names[i].handle].text);
    }
    return kOk;
}

Status FileEvidence::read_rings(const LogBytes &log) {
    const size_t part_bytes = log_part_bytes(entries_per_ring_);
    std::vector<LogFilePlace> places(kPiece / sizeof(LogFilePlace));
    const uint64_t rings = std::min({header_.rings, uint64_t{kLogFileRings}, kMostRead / entries_per_ring_});
    for (uint64_t ring = 0; ring < rings; ++ring) {
        const size_t part = kLogRingsAt + ring * part_bytes;
        uint64_t newest = 0;
        GS_TRY(read_ranges(log, part));
        for (size_t at = 0; at < entries_per_ring_; at += places.size()) {
            size_t count = 0;
            GS_TRY(read_twice(log, part + kLogPage + at * sizeof(LogFilePlace), places, &count));
            if (count == 0) return kOk; // the file is shorter than it says
            for (size_t i = 0; i < count && at + i < entries_per_ring_; ++i) {
                newest = std::max(newest, places[i].number);
                take(places[i]);
            }
        }
        if (newest > entries_per_ring_) dropped_ += newest - entries_per_ring_;
    }
    return kOk;
}

// Of a thread that changes them right now they are left out.
Status FileEvidence::read_ranges(const LogBytes &log, size_t at) {
    std::vector<LogFileRanges> read(1);
    size_t count = 0;
    GS_TRY(read_twice(log, at, read, &count));
    LogFileRanges &ranges = read[0];
    const uint64_t named = count == 0 ? 0 : std::min<uint64_t>(ranges.open, kLogFileRanges);
    for (uint32_t depth = 0; depth < named; ++depth) {
        OpenRange range{ranges.thread, depth, ranges.open, {"..."}};
        char(&text)[kNameBytes] = ranges.names[depth].text;
        text[kNameBytes - 1] = '\0';
        if (ranges.names[depth].number != 0) make_printable_name(text, range.name.text);
        open_ranges_.push_back(range);
    }
    return kOk;
}

void FileEvidence::take(const LogFilePlace &place) {
    const uint32_t call = static_cast<uint32_t>(place.call_and_thread >> 32) & kLogCallMask; // as LogRing
    if (place.number == 0 || call > static_cast<uint32_t>(kLastLogCall) || log_.size() == kMostTaken) return;
    const LogEntry entry{place.time_ns,
                         place.stream,
                         place.object,
                         place.value,
                         static_cast<uint32_t>(place.call_and_thread),
                         static_cast<LogCall>(call),
                         static_cast<uint32_t>(place.call_and_thread >> 40) & kLogDeviceMask,
                         static_cast<uint32_t>(place.call_and_thread >> 52)};
    log_.push_back(entry);
    now_ns_ = std::max(now_ns_, entry.time_ns);
    if (entry.call != LogCall::SeenTimeline && entry.call != LogCall::HostSignal) return;
    uint64_t &value = reached_[entry.object];
    value = std::max(value, entry.value);
}

void FileEvidence::collect_streams() {
    for (const LogEntry &entry : log_)
        if (entry.stream != 0) streams_.push_back(entry.stream);
    sort_elements(streams_.data(), streams_.size());
    streams_.erase(std::unique(streams_.begin(), streams_.end()), streams_.end());
    if (streams_.size() <= kMostStreams) return;
    streams_left_out_ = streams_.size() - kMostStreams;
    streams_.resize(kMostStreams);
}

void FileEvidence::visit_log(LogVisit visit, void *context) const noexcept {
    for (const LogEntry &entry : log_) visit(context, entry);
}

void FileEvidence::visit_open_ranges(RangeVisit visit, void *context) const noexcept {
    for (const OpenRange &range : open_ranges_) visit(context, range);
}

void FileEvidence::visit_streams(StreamVisit visit, void *context) const noexcept {
    for (const uint64_t stream : streams_) visit(context, stream);
}

NameText FileEvidence::name(uint64_t handle) const noexcept {
    const auto found = names_.find(handle);
    return found != names_.end() ? found->second : NameText{};
}

bool FileEvidence::is_complete(const LogEntry &wait) const noexcept {
    return word_stream(wait.value) == kNeverRecorded; // the log itself says what was seen
}

Met FileEvidence::has_reached(const LogEntry &wait, uint64_t *out_value) const noexcept {
    const auto found = reached_.find(wait.object);
    if (found == reached_.end()) return Met::Unknown;
    *out_value = found->second;
    return found->second >= wait.value ? Met::Yes : Met::Unknown;
}

} // namespace gs::recorder
