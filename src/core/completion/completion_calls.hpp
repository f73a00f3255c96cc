// SPDX-License-Identifier: Apache-2.0
// What calls ask of completion: deferred calls, waits of the host, and what graphs keep.
#pragma once

#include <cstdint>

#include "backend/graphs.hpp"
#include "base/status.hpp"
#include "core/slots.hpp"

namespace gs {

// Deferred calls: functions that run some time after the work of a stream so far is done. They are collected in a batch per
// stream, which costs one record.

// Of a stream that is being captured: its graph keeps the function, or it runs after the work that the stream has outside
// of captures, once the capture has ended.
enum class InCapture : bool { Keep, Outlast };

// Runs under the caller's CallMark.
Status defer(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *), void *arg,
             InCapture in_capture = InCapture::Keep) noexcept;

// The blocking calls with a limit, and those without one in the wait modes that are not the driver's. timeout_ns negative: no
// limit.
Status synchronize_stream_for(ThreadBlock &thread, uint64_t handle, int64_t timeout_ns) noexcept;
Status synchronize_event_for(ThreadBlock &thread, uint64_t handle, int64_t timeout_ns) noexcept;
Status synchronize_device_for(ThreadBlock &thread, Device &device, int64_t timeout_ns) noexcept;
// out_index: nullptr for all of them.
Status synchronize_events(ThreadBlock &thread, const gs_event_t *events, size_t count, int64_t timeout_ns,
                          size_t *out_index) noexcept;

// What lives as long as a graph, its executables and their launches.
//
// The driver says that they have ended on a thread of its own, where nothing may call it, and where the caller's function
// would hold up the driver. So the release runs on the dispatcher. As with host functions (host_call.hpp) the driver
// gets a number in place of a pointer. After a failure the driver may use the number late, which then does nothing.

// `graph` is the driver's; no other call on it may be in progress. OK: release(arg) is called once. Otherwise never.
Status keep_for_graph(ThreadBlock &thread, Graphs &graphs, uintptr_t graph, void (*release)(void *),
                      void *arg) noexcept;
// The same for the graph that the stream is captured into. *out_kept is false if the stream is outside of captures,
// also if its capture has just ended; release is then never called. NOT_SUPPORTED: the capture is broken, or the driver
// keeps nothing for graphs.
Status keep_in_capture(ThreadBlock &thread, StreamSlot &stream, void (*release)(void *), void *arg,
                       bool *out_kept) noexcept;

// The dispatcher calls the function when the stream's work so far is done. Runs under the caller's CallMark.
Status notify(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *, gs_status_t), void *arg) noexcept;

// The dispatcher: the thread on which release functions of the application run that were given to gs_graph_keep(). They may
// take any lock (an interpreter's, say), and hold up each other, but neither a stream nor a thread of the driver.

struct DispatchedCall {
    void (*run)(DispatchedCall &call) noexcept = nullptr; // takes the call over
    DispatchedCall *next = nullptr;
};

// Starts its thread if it does not run yet.
Status start_dispatcher() noexcept;
// The dispatcher runs. Calls run in the order in which they come.
void dispatch(DispatchedCall &call) noexcept;

} // namespace gs
