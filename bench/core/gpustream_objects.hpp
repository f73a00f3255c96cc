// SPDX-License-Identifier: Apache-2.0
// gpustream's objects for a benchmark: created before the clock starts, destroyed after it has stopped.
#pragma once

#include <gpustream.h>

#include <atomic>
#include <string>

#include "suite.hpp"

namespace bench {

inline std::string gpustream_error() {
    gs_error_info_t error{};
    error.struct_size = sizeof error;
    gs_last_error(&error);
    return error.message;
}

inline void check_gs(benchmark::State &state, gs_status_t failed) {
    if (failed != GS_OK) check(state, failed, gpustream_error());
}

class Stream {
public:
    Stream() { gs_stream_create(GS_DEVICE_CURRENT, 0, 0, &stream_); }
    ~Stream() {
        gs_stream_synchronize(stream_);
        gs_stream_destroy(stream_);
    }
    Stream(const Stream &) = delete;
    Stream &operator=(const Stream &) = delete;
    operator gs_stream_t() const { return stream_; }

private:
    gs_stream_t stream_ = nullptr; // stays NULL on failure, so that every call on it fails with a message
};

class Event {
public:
    explicit Event(uint32_t flags = 0) { gs_event_create(flags, &event_); }
    ~Event() { gs_event_destroy(event_); }
    Event(const Event &) = delete;
    Event &operator=(const Event &) = delete;
    operator gs_event_t() const { return event_; }

private:
    gs_event_t event_ = nullptr;
};

// Holds a stream while the clock runs. Declared after the stream, so that it opens before the stream is waited for.
class Hold {
public:
    explicit Hold(gs_stream_t stream) {
        if (gs_stream_launch_host(stream, &Hold::wait, this) != GS_OK) left_.store(true);
    }
    ~Hold() {
        open_.store(true);
        open_.notify_all();
        left_.wait(false);
    }
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

private:
    static void wait(void *opaque) {
        auto *self = static_cast<Hold *>(opaque);
        self->open_.wait(false);
        self->left_.store(true);
        self->left_.notify_all();
    }
    std::atomic<bool> open_{false};
    std::atomic<bool> left_{false};
};

} // namespace bench
