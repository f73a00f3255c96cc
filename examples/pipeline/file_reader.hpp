// SPDX-License-Identifier: Apache-2.0
// Reads pieces of one regular file, from any thread, and detects that it has changed since it was opened.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace pipeline {

class FileReader {
public:
    // Each failure is a Failure(Exit::kFile) that names the file.
    explicit FileReader(std::string path);
    ~FileReader();
    FileReader(const FileReader &) = delete;
    FileReader &operator=(const FileReader &) = delete;

    // Size when it was opened: data appended later is ignored.
    uint64_t size() const { return static_cast<uint64_t>(opened_.st_size); }
    // Fills the buffer from that offset of the file. If the file ends earlier, it has shrunk, which is a failure.
    void read(uint64_t offset, unsigned char *buffer, size_t bytes) const;
    // Fails if the file is smaller than when it was opened.
    void check_not_shrunk() const;
    // Fails if the file was written to since it was opened.
    void check_not_written() const;

private:
    struct stat status_now() const;
    [[noreturn]] void fail(const std::string &what) const;

    std::string path_;
    int descriptor_ = -1;
    struct stat opened_{};
};

} // namespace pipeline
