// SPDX-License-Identifier: Apache-2.0
// The log in a core file (ELF, 64 bits, of this machine's byte order), presented as the log file that it would be.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/recorder/log_format.hpp"

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

} // namespace gs::recorder
