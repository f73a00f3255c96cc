// SPDX-License-Identifier: Apache-2.0
// Ranges and marks of threads, which traces, the log and tools of NVTX show. Each is the C function that it calls.
#pragma once

#include "result.hpp"

GPUSTREAM_BEGIN_NAMESPACE

/// gs_range_push(): a range of the calling thread until the end of the block, where it is the innermost one. Ranges nest.
/// With GPUSTREAM_NOEXCEPT, status() says whether it began.
class range {
public:
    GPUSTREAM_NAMED explicit range(const char *name) : status_(detail::with_abi(gs_range_push, name)) {
#if !GPUSTREAM_NOEXCEPT
        detail::done(status_);
#endif
    }
    ~range() {
        if (status_ == GS_OK) static_cast<void>(gs_range_pop());
    }
    range(const range &) = delete;
    range &operator=(const range &) = delete;

    gpustream::status status() const noexcept { return static_cast<gpustream::status>(status_); }

private:
    gs_status_t status_;
};

/// gs_mark(): a moment of the calling thread.
inline outcome<void> mark(const char *text) { return detail::done(detail::with_abi(gs_mark, text)); }

GPUSTREAM_END_NAMESPACE
