// SPDX-License-Identifier: Apache-2.0
#include "core/completion/queue_fd.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace gs {
namespace {

// The kernel's number of an eventfd (Linux 5.2), -1 if it is none or the kernel does not say.
long eventfd_id(int fd) noexcept {
    char path[64];
    std::snprintf(path, sizeof path, "/proc/self/fdinfo/%d", fd);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return -1;
    char text[1024];
    const ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    if (got <= 0) return -1;
    text[got] = '\0';
    long id = -1;
    const char *line = std::strstr(text, "eventfd-id:");
    return line && std::sscanf(line, "eventfd-id: %ld", &id) == 1 ? id : -1;
}

} // namespace

Status QueueFd::get(int32_t *out_fd) noexcept {
    if (own_ < 0) {
        own_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        if (own_ < 0) return fail_system("eventfd", errno, "no file descriptor for the queue");
    }
    if (shown_ < 0) {
        shown_ = fcntl(own_, F_DUPFD_CLOEXEC, 0);
        if (shown_ < 0) return fail_system("fcntl", errno, "no file descriptor for the queue");
    }
    apply();
    *out_fd = shown_;
    return kOk;
}

void QueueFd::set_readable(bool readable) noexcept {
    wanted_ = readable;
    if (own_ >= 0) apply();
}

void QueueFd::apply() noexcept {
    if (wanted_ == readable_) return;
    uint64_t count = 1;
    // Neither blocks, and the counter cannot be full: it changes between 0 and 1 only.
    const ssize_t moved = wanted_ ? write(own_, &count, sizeof count) : read(own_, &count, sizeof count);
    if (moved == static_cast<ssize_t>(sizeof count) || errno == EAGAIN) readable_ = wanted_;
}

void QueueFd::close() noexcept {
    if (own_ < 0) return;
    const long id = eventfd_id(own_);
    if (shown_ >= 0 && (id < 0 || eventfd_id(shown_) == id)) ::close(shown_);
    ::close(own_);
    *this = {};
}

} // namespace gs
