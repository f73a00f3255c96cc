// SPDX-License-Identifier: Apache-2.0
#include "core/completion/queue_fd.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>

namespace gs {
namespace {

// Two descriptors of one file have its flags in common. The one that is changed means nothing to an eventfd. Other ways to compare
// need another descriptor, and there may be none left, or a newer kernel.
bool same_file(int one, int other) noexcept {
    const int flags = fcntl(one, F_GETFL);
    if (flags < 0 || fcntl(other, F_GETFL) != flags) return false;
    fcntl(one, F_SETFL, flags ^ O_APPEND);
    const bool same = fcntl(other, F_GETFL) == (flags ^ O_APPEND);
    fcntl(one, F_SETFL, flags);
    return same;
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
    if (inherited_) GS_TRY(renew());
    apply();
    *out_fd = shown_;
    return kOk;
}

void QueueFd::set_readable(bool readable) noexcept {
    wanted_ = readable;
    if (own_ < 0) return;
    if (inherited_ && !renew().ok()) return; // the next change tries again
    apply();
}

// Another file under the same numbers: the parent would see what the child writes to its file.
Status QueueFd::renew() noexcept {
    const int fresh = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fresh < 0) return fail_system("eventfd", errno, "no file descriptor for the queue");
    if (shown_ >= 0 && same_file(own_, shown_)) dup3(fresh, shown_, O_CLOEXEC);
    dup3(fresh, own_, O_CLOEXEC);
    ::close(fresh);
    readable_ = inherited_ = false;
    return kOk;
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
    if (shown_ >= 0 && same_file(own_, shown_)) ::close(shown_);
    ::close(own_);
    *this = {};
}

} // namespace gs
