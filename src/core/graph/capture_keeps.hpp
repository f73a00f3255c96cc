// SPDX-License-Identifier: Apache-2.0
// What captured calls refer to lives as long as the graph that they are captured into: see CaptureGuard.
#pragma once

#include "core/graph/graph_slots.hpp"
#include "core/slots.hpp"
#include "core/stream/captured.hpp"

namespace gs {

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
