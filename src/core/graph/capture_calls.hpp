// SPDX-License-Identifier: Apache-2.0
// Captures that begin through the library: who may end them, what graph they make, who broke them.
#pragma once

#include "core/graph/capture_table.hpp"
#include "core/graph/graph_slots.hpp"
#include "core/lookup.hpp"

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

} // namespace gs
