// SPDX-License-Identifier: Apache-2.0
#include "file_reader.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "failure.hpp"

namespace pipeline {
namespace {

constexpr size_t kMostPerRead = size_t{1} << 30; // one read returns at most about 2 GiB

} // namespace

FileReader::FileReader(std::string path) : path_(std::move(path)) {
    // O_NONBLOCK: opening a FIFO must not wait for a writer; it has no effect on regular files.
    descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0) fail(std::strerror(errno));
    try {
        opened_ = status_now();
        if (S_ISDIR(opened_.st_mode)) fail("is a directory");
        if (!S_ISREG(opened_.st_mode)) fail("is no regular file");
        if (opened_.st_size == 0) fail("is empty");
    } catch (...) {
        close(descriptor_);
        throw;
    }
}

FileReader::~FileReader() { close(descriptor_); }

void FileReader::read(uint64_t offset, unsigned char *buffer, size_t bytes) const {
    while (bytes != 0) {
        const ssize_t got = pread(descriptor_, buffer, std::min(bytes, kMostPerRead), static_cast<off_t>(offset));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) fail("reading at byte " + std::to_string(offset) + ": " + std::strerror(errno));
        if (got == 0) {
            fail("has shrunk while it was processed: it ends at byte " + std::to_string(offset) + ", it had " +
                 std::to_string(size()) + " bytes");
        }
        buffer += got;
        bytes -= static_cast<size_t>(got);
        offset += static_cast<uint64_t>(got);
    }
}

struct stat FileReader::status_now() const {
    struct stat now{};
    if (fstat(descriptor_, &now) != 0) fail(std::strerror(errno));
    return now;
}

void FileReader::check_not_shrunk() const {
    if (status_now().st_size < opened_.st_size) fail("has shrunk while it was processed");
}

void FileReader::check_not_written() const {
    const struct stat now = status_now();
    const bool same = now.st_mtim.tv_sec == opened_.st_mtim.tv_sec && now.st_mtim.tv_nsec == opened_.st_mtim.tv_nsec;
    if (!same || now.st_size != opened_.st_size) fail("was written to while it was processed");
}

void FileReader::fail(const std::string &what) const { throw Failure(Exit::kFile, "'" + path_ + "': " + what); }

} // namespace pipeline
