// SPDX-License-Identifier: Apache-2.0
// The log in a core file (ELF, 64 bits, of this machine's byte order), presented as the log file that it would be.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "base/status.hpp"
#include "tools/recorder/evidence.hpp"
#include "tools/recorder/log_file.hpp"

namespace gs::recorder {

// Where a log is read from.

class LogBytes {
public:
    // As much as there is from that place of the log file on, or of what would be one; -1: errno says why not.
    virtual ssize_t read(void *out, size_t bytes, size_t at) const noexcept = 0;

protected:
    ~LogBytes() = default;
};

class LogFileReader final : public LogBytes {
public:
    explicit LogFileReader(const char *path) noexcept; // errno says why it is not open
    ~LogFileReader();
    LogFileReader(const LogFileReader &) = delete;
    LogFileReader &operator=(const LogFileReader &) = delete;

    bool is_open() const noexcept { return fd_ >= 0; }
    bool is_being_written() const noexcept; // by this process, or by one that has it locked
    ssize_t read(void *out, size_t bytes, size_t at) const noexcept override;

private:
    int fd_ = -1;
    bool is_own_ = false;
};

class CoreFile final : public LogBytes {
public:
    explicit CoreFile(const LogBytes &file) noexcept : file_(file) {}

    // Looks for the log's first page in all memory that the file has. False: it is no core file, or lacks a log. Throws
    // std::bad_alloc.
    bool find_log();
    ssize_t read(void *out, size_t bytes, size_t at) const noexcept override;

private:
    struct Piece {
        uint64_t address, bytes, at; // in the file
    };
    bool read_pieces();
    bool is_log_at(uint64_t address, const char *page);
    bool find_in(const Piece &piece);
    ssize_t read_memory(void *out, size_t bytes, uint64_t address) const noexcept;

    const LogBytes &file_;
    std::vector<Piece> pieces_;
    LogFileHeader header_{};
    uint64_t parts_[kLogFileRings] = {};
};

// What the log file of a process, or its core file, says. It is read into memory, so that a process that writes or shortens the file at the same
// time does no harm, and no number in it is trusted.

class FileEvidence final : public Evidence {
public:
    // INVALID_ARGUMENT, SYSTEM. Throws std::bad_alloc.
    Status read(const char *path);

    uint64_t process() const noexcept { return process_; }
    bool process_lives() const noexcept { return process_lives_; }
    size_t streams_left_out() const noexcept { return streams_left_out_; }
    uint64_t dropped() const noexcept { return dropped_; } // entries that newer ones have overwritten

    uint64_t log_entries() const noexcept override { return entries_per_ring_; }
    void visit_log(LogVisit visit, void *context) const noexcept override;
    void visit_streams(StreamVisit visit, void *context) const noexcept override;
    void visit_open_ranges(RangeVisit visit, void *context) const noexcept override;
    NameText name(uint64_t handle) const noexcept override;
    bool last_wait(uint64_t, LogEntry *) const noexcept override { return false; } // asked only without a log
    uint64_t recorder_of(uint64_t) const noexcept override { return 0; }           // so is this
    bool is_complete(const LogEntry &wait) const noexcept override;
    Met has_reached(const LogEntry &wait, uint64_t *out_value) const noexcept override;
    uint64_t now_ns() const noexcept override { return now_ns_; }

private:
    Status read_header(const LogBytes &log, const char *path);
    Status read_names(const LogBytes &log);
    Status read_rings(const LogBytes &log);
    Status read_ranges(const LogBytes &log, size_t at);
    void take(const LogFilePlace &place);
    void collect_streams();

    LogFileHeader header_{};
    uint64_t entries_per_ring_ = 0;
    uint64_t process_ = 0;
    uint64_t now_ns_ = 0;
    uint64_t dropped_ = 0;
    bool process_lives_ = false;
    std::vector<LogEntry> log_;
    std::vector<OpenRange> open_ranges_;
    std::vector<uint64_t> streams_;
    size_t streams_left_out_ = 0;
    std::map<uint64_t, NameText> names_;
    std::map<uint64_t, uint64_t> reached_; // timeline: largest value that was seen
};

} // namespace gs::recorder
