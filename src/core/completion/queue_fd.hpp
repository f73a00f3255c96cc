// SPDX-License-Identifier: Apache-2.0
// The file descriptor of a queue: an eventfd, made at the first request.
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace gs {

class QueueFd {
public:
    // The number for the caller.
    Status get(int32_t *out_fd) noexcept;
    // Makes it readable or not. No system call if it is so already.
    void set_readable(bool readable) noexcept;
    void close() noexcept;
    // In a forked child. Only a store: what the child has is the parent's file until it is next used.
    void inherit() noexcept { inherited_ = own_ >= 0; }

private:
    Status renew() noexcept;
    void apply() noexcept;

    // The library writes to a descriptor that no other code knows. If the caller closes the one that was given out, its number may
    // name another file by then.
    int own_ = -1;
    int shown_ = -1;
    bool wanted_ = false;
    bool readable_ = false;
    bool inherited_ = false;
};

} // namespace gs
