// SPDX-License-Identifier: Apache-2.0
// Semaphores of another API, which the fake driver plays, and timelines of them.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "fault/inject.hpp"
#include "support/own_process.hpp"
#include "support/timelines.hpp"

namespace gs::test {

inline bool is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }

// A semaphore that another API has made, which keeps a file descriptor of its own.
class Semaphore {
public:
    explicit Semaphore(uint64_t initial = 0) : fd_(fake().make_semaphore(initial)) { EXPECT_GE(fd_, 0); }
    ~Semaphore() { close(fd_); }
    Semaphore(const Semaphore &) = delete;
    Semaphore &operator=(const Semaphore &) = delete;

    int exported() const { return fcntl(fd_, F_DUPFD_CLOEXEC, 0); }
    void signal(uint64_t value) const { EXPECT_EQ(fake().signal_semaphore(fd_, value), 0); }
    uint64_t value() const {
        uint64_t value = 0;
        EXPECT_EQ(fake().semaphore_value(fd_, &value), 0);
        return value;
    }

private:
    int fd_;
};

class Imported {
public:
    explicit Imported(const Semaphore &semaphore, gs_device_t device = 0) {
        const int fd = semaphore.exported();
        EXPECT_OK(gs_timeline_from_fd(device, GS_FD_VULKAN_TIMELINE, fd, &handle_));
        EXPECT_FALSE(is_open(fd)) << "it is the driver's now";
    }
    ~Imported() {
        if (handle_) EXPECT_OK(gs_timeline_destroy(handle_));
    }
    Imported(const Imported &) = delete;
    Imported &operator=(const Imported &) = delete;

    operator gs_timeline_t() const { return handle_; } // NOLINT: used in place of the handle
    void destroy() { EXPECT_OK(gs_timeline_destroy(std::exchange(handle_, nullptr))); }

private:
    gs_timeline_t handle_ = nullptr;
};

inline size_t live_semaphores() { return fake().live(FAKE_CUDA_SEMAPHORE); }

} // namespace gs::test
