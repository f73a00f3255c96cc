// SPDX-License-Identifier: Apache-2.0
// The captures in progress that began through the library.
#pragma once

#include "core/graph/graph_slots.hpp"

namespace gs {

// A call of the library that broke a capture.
struct CaptureBreak {
    char function[64] = {};
    int32_t code = 0;
    uint64_t thread = 0; // the operating system's number
    uint64_t stream = 0; // a handle, or 0
};

struct Capture {
    StreamSlot *origin = nullptr;
    uint64_t origin_handle = 0;
    uint64_t id = 0; // the driver's
    int32_t mode = GS_CAPTURE_GLOBAL;
    uint64_t serial = 0;   // of the thread that began it
    uint64_t thread = 0;   // the operating system's number
    uint64_t graph = 0;    // handle
    bool to_graph = false; // into a graph that existed
    CaptureBreak broken;
    Capture *next = nullptr;
};

// How many there are. Read by calls that fail because of a capture.
extern std::atomic<uint32_t> g_live_captures __attribute__((visibility("hidden")));

void add_capture(Capture &capture) noexcept;
// The capture that the stream began, or that has the driver's id (0: none); a copy. False: there is none.
bool find_capture(const StreamSlot &stream, uint64_t id, Capture *out) noexcept;
// Takes the capture that the stream began out of the table; nullptr if another thread was faster.
Capture *take_capture(const StreamSlot &stream, uint64_t id) noexcept;

// A call failed because of a capture, and its failure is pending. Finds the captures that are broken since, and notes the
// call as the cause.
void note_breaks(ThreadBlock &thread, const char *function) noexcept;

// The operating system's number of the calling thread.
uint64_t os_thread() noexcept;

} // namespace gs
