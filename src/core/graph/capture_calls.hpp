// SPDX-License-Identifier: Apache-2.0
// Captures that begin through the library: who may end them, what graph they make, who broke them.
#pragma once

#include "core/graph/capture_table.hpp"
#include "core/graph/graph_slots.hpp"
#include "core/lookup.hpp"
#include "core/slots.hpp"
#include "core/stream/captured.hpp"

namespace gs {

// All of them run under the caller's CallMark, which protects the stream.
Status begin_capture(ThreadBlock &thread, StreamSlot &stream, int32_t mode) noexcept;
Status begin_capture_to(ThreadBlock &thread, StreamSlot &stream, uint64_t graph, const gs_node_t *after, size_t count,
                        int32_t mode) noexcept;
Status end_capture(ThreadBlock &thread, StreamSlot &stream, uint64_t *out_graph) noexcept;
Status abort_capture(ThreadBlock &thread, StreamSlot &stream) noexcept;
// The stream is about to be used by another owner, or to end: a capture that it had begun is aborted. False: it takes part in
// one of other code.
bool give_up_capture(StreamSlot &stream) noexcept;
// Forgets the captures of streams per thread whose thread has ended: no thread can end them any more.
void forget_orphans() noexcept;
// The driver has said that the stream takes part in no capture, after the library's number was `last`. One that it had begun is
// over: other code has ended it, and has its graph. CAPTURING: another thread is ending it.
Status forget_ended(ThreadBlock &thread, const StreamSlot &stream, uint64_t last) noexcept;
// Before a call is refused because of a capture that streams of the device take part in: other code may have ended it. Asks the
// driver.
void forget_ended_on(const Device &device) noexcept;
Status capture_info(ThreadBlock &thread, StreamSlot &stream, gs_capture_info_t *out) noexcept;
Status capture_nodes(ThreadBlock &thread, StreamSlot &stream, gs_node_t *out_nodes, size_t capacity,
                     size_t *out_count) noexcept;
Status set_capture_nodes(ThreadBlock &thread, StreamSlot &stream, const gs_node_t *nodes, size_t count,
                         bool add) noexcept;

// Which calls would break a capture: core/stream/captured.hpp asks.
void install_capture_guard() noexcept;

// What beginning, ending and asking about captures have in common.

// NOT_SUPPORTED for a default stream, and for a backend without graphs.
Status graphs_for(StreamSlot &stream, Graphs **out) noexcept;
// NOT_PERMITTED: the stream is not being captured.
Status refuse_idle(const StreamSlot &stream) noexcept;

// What captured calls refer to lives as long as the graph that they are captured into: see CaptureGuard.

// The graph that the stream is captured into, locked, and the capture goes on until it is unlocked. *out_capture is the library's
// number of the capture; 0: the stream is not captured, or by other code.
Status graph_around(ThreadBlock &thread, const StreamSlot &stream, LockedGraph &graph, uint64_t *out_capture) noexcept;

Status keep_module(ThreadBlock &thread, StreamSlot &stream, LoadedModule &module, uint64_t *out_capture) noexcept;
Status keep_event(ThreadBlock &thread, StreamSlot &stream, EventSlot &event, CapturePin *out) noexcept;
Status pin_capture(ThreadBlock &thread, uint64_t id, CapturePin *out) noexcept;
// NOT_SUPPORTED for a capture into a body of a conditional node. Before the driver is called: some take the function, and then
// have a graph that they cannot run.
Status pin_for_call(ThreadBlock &thread, uint64_t id, CapturePin *out) noexcept;
Status keep_call(ThreadBlock &thread, const CapturePin &pin, const KeptByGraph &kept) noexcept;

// Memory that captures have allocated. A stream that joined a capture may have been joined to the origin since. A free
// in it would be a node that nothing joins, with which the end of the capture would fail. So the free waits for that
// end, and becomes a node of the stream that began the capture, behind everything.

// The stream, which is captured, has allocated memory.
void note_captured_memory(ThreadBlock &thread, const StreamSlot &stream, void *address) noexcept;
// *out_taken: the end of the capture frees it. INVALID_ARGUMENT: it does so already.
Status free_at_end(ThreadBlock &thread, const StreamSlot &stream, void *address, bool *out_taken) noexcept;
// The capture that the stream began is about to end.
void free_what_waited(ThreadBlock &thread, StreamSlot &stream, uint64_t number) noexcept;

} // namespace gs
