// SPDX-License-Identifier: Apache-2.0
// Stream capture: who takes part, what breaks it, with which code. Captured work is counted, not executed. All
// functions require the lock.
#pragma once

#include "fake_cuda/world.hpp"

namespace fake {

struct Capture {
    uint64_t id = 0;
    Stream *origin = nullptr;
    CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
    uint64_t thread = 0;
    bool invalid = false;
    Graph *graph = nullptr;               // made when it is asked for, or at the end
    std::map<Stream *, Progress> members; // the progress each has waited for, including its own
};

CUresult begin_capture(Stream &stream, CUstreamCaptureMode mode);
CUresult end_capture(Stream &stream, Graph **out);
// A participating stream is destroyed.
void drop_capture_of(Stream &stream);

// Before a call that may disturb captures in progress: 900 for the thread's mode, and they are broken.
CUresult check_unsafe();
// Before a query that a capturing stream does not allow (query, synchronise, priority, context...).
CUresult check_quiet(Stream &stream);
// Before the context is synchronised.
CUresult check_quiet(Context &context);
// The result of cuStreamIsCapturing.
CUresult capture_status(Stream &stream, CUstreamCaptureStatus *out);

// The graph that the stream is being captured into, as cuStreamGetCaptureInfo has it.
Graph &graph_of(Capture &capture);

// Work is put into the stream. *captured: it became a node and is not to be executed.
CUresult enter_work(Stream &stream, bool *captured);
// Runs a host function in the stream's order; the objects live until it has returned or was dropped.
engine::Result put_host_function(engine::Stream &stream, HostNode node, UserObjects kept);
CUresult capture_wait(Stream &stream, Event &event, bool external, bool *captured);
CUresult capture_record(Stream &stream, Event &event, bool external, bool *captured);
// The event's present record: 907 when made in a capture in progress, which that breaks; 1 after it.
CUresult check_record(const Event &event);
// Before a query or synchronisation of the event, which can break captures of other threads too.
CUresult check_event(const Event &event);

} // namespace fake
