// SPDX-License-Identifier: Apache-2.0
// The ways in which a program can wait for a stream.
#pragma once

#include <time.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpustream.h"

namespace completion {

inline uint64_t now_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(now.tv_nsec);
}

// Ends the process if the status is a failure.
void check(gs_status_t status, const char *call);

struct Way {
    const char *name;
    std::function<uint64_t(gs_stream_t)> wait; // returns when the program knew
};

void begin();
Way spinning();
// All others: gpustream's, and the driver's where there is one.
std::vector<Way> ways();

struct Objects {
    Objects();
    ~Objects();
    Objects(const Objects &) = delete;
    Objects &operator=(const Objects &) = delete;
    gs_stream_t stream = nullptr;
    gs_stream_t free = nullptr;
    gs_event_t event = nullptr;
    gs_queue_t queue = nullptr;
};

// Takes that many entries.
void drain(gs_queue_t queue, size_t count);
double calibrate(gs_stream_t stream); // cycles of gs_stream_sleep() per microsecond
std::string device_name();

} // namespace completion
