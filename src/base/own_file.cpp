// SPDX-License-Identifier: Apache-2.0
#include "base/own_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace gs {
namespace {

constexpr int kQuietly = O_CLOEXEC | O_NOCTTY | O_NONBLOCK; // no device or pipe is waited for, or taken as a terminal

// nullptr: it may be written.
const char *problem_of(const struct stat &file) noexcept {
    if (!S_ISREG(file.st_mode)) return "it is no regular file";
    if (file.st_uid != geteuid()) return "it belongs to another user";
    if (file.st_nlink != 1) return "it is a hard link to a file that has another name too";
    if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "other users may write it";
    return nullptr;
}

// The first three numbers are the program's input and outputs, also where it has closed them. What it prints would come
// into the file.
int above_outputs(int fd) noexcept {
    if (fd > STDERR_FILENO) return fd;
    const int moved = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int code = errno;
    close(fd);
    errno = code;
    return moved;
}

} // namespace

int open_own_file(const char *path, int flags, const char **out_problem) noexcept {
    int fd = open(path, flags | O_NOFOLLOW | kQuietly, S_IRUSR | S_IWUSR);
    if (fd >= 0) fd = above_outputs(fd);
    if (fd < 0) {
        *out_problem = errno == ELOOP   ? "it is a symbolic link"
                       : errno == ENXIO ? "it is no regular file" // a pipe that no process reads
                                        : std::strerror(errno);
        return -1;
    }
    struct stat file{};
    *out_problem = fstat(fd, &file) != 0 ? std::strerror(errno) : problem_of(file);
    if (!*out_problem) return fd;
    close(fd);
    errno = EACCES;
    return -1;
}

int open_to_read(const char *path) noexcept {
    const int fd = open(path, O_RDONLY | kQuietly);
    struct stat file{};
    if (fd < 0 || (fstat(fd, &file) == 0 && S_ISREG(file.st_mode))) return fd;
    close(fd);
    errno = EINVAL;
    return -1;
}

} // namespace gs
