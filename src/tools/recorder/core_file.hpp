// SPDX-License-Identifier: Apache-2.0
// The log in a core file (ELF, 64 bits, of this machine's byte order), presented as the log file that it would be.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/recorder/log_bytes.hpp"
#include "tools/recorder/log_format.hpp"

namespace gs::recorder {

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
