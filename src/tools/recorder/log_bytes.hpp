// SPDX-License-Identifier: Apache-2.0
// Where a log is read from.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace gs::recorder {

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

} // namespace gs::recorder
