// SPDX-License-Identifier: Apache-2.0
// The objects that the calls of call_table.cpp are made on.
#pragma once

#include <atomic>

#include "calls/live_handles.hpp"
#include "gpustream.h"

namespace gs::test {

// The event is recorded, done, and known to be done.
struct Objects : LiveHandles {
    gs_device_t device = 0;         // that calls name
    gs_stream_t recorder = nullptr; // event was recorded here: waits of it are elided
    gs_event_t timed = nullptr;     // recorded
    gs_event_t shared = nullptr;    // GS_EVENT_INTERPROCESS
    gs_event_t fresh = nullptr;     // never recorded
    uintptr_t native_stream = 4096;
    uintptr_t native_event = 4096;
    void *memory = nullptr; // 64 bytes of the device
    void *block = nullptr;  // more of them
    const void *image = "/nowhere";
    size_t image_bytes = 0;
    void **arguments = nullptr; // of the kernel
    uint64_t scope = 0;
    void *host_memory = nullptr; // 64 bytes
    gs_ipc_handle_t ipc{};
    gs_token_t token{}; // of stream
    gs_stream_triple_t triple{};
};

// Above all that it returned before: the value of a signal.
inline uint64_t next_value() {
    static std::atomic<uint64_t> last{0};
    return ++last;
}

// Module, kernel, memory and block are numbers that belong to no object: calls that are refused must ignore them.
Objects make_objects(gs_device_t device = 0);
void destroy_objects(Objects &objects);

} // namespace gs::test
