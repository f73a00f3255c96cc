// SPDX-License-Identifier: Apache-2.0
#include "tools/recorder/log_bytes.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/own_file.hpp"
#include "tools/recorder/log_file.hpp"

namespace gs::recorder {

LogFileReader::LogFileReader(const char *path) noexcept {
    struct stat file{};
    if (stat(path, &file) != 0) return;
    fd_ = own_log_file(file);
    is_own_ = fd_ >= 0;
    if (!is_own_) fd_ = open_to_read(path);
}

LogFileReader::~LogFileReader() {
    if (fd_ >= 0 && !is_own_) close(fd_);
}

bool LogFileReader::is_being_written() const noexcept {
    struct flock whole{};
    whole.l_type = F_RDLCK;
    whole.l_whence = SEEK_SET;
    return is_own_ || (fcntl(fd_, F_GETLK, &whole) == 0 && whole.l_type != F_UNLCK);
}

ssize_t LogFileReader::read(void *out, size_t bytes, size_t at) const noexcept {
    size_t got = 0;
    while (got < bytes) {
        const ssize_t more = pread(fd_, static_cast<char *>(out) + got, bytes - got, static_cast<off_t>(at + got));
        if (more == 0) break;
        if (more > 0)
            got += static_cast<size_t>(more);
        else if (errno != EINTR)
            return -1;
    }
    return static_cast<ssize_t>(got);
}

} // namespace gs::recorder
