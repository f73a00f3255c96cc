// SPDX-License-Identifier: Apache-2.0
// Memory that captures have allocated. A free in a stream that joined a capture, and may have been joined to the origin since,
// would be a node that is joined no more, and the end of the capture would fail. So it waits for the end of the capture, and becomes
// a node of the stream that began it, behind everything.
#pragma once

#include "core/slots.hpp"

namespace gs {

// The stream, which is captured, has allocated memory.
void note_captured_memory(ThreadBlock &thread, const StreamSlot &stream, void *address) noexcept;
// *out_taken: the end of the capture frees it. INVALID_ARGUMENT: it does so already.
Status free_at_end(ThreadBlock &thread, const StreamSlot &stream, void *address, bool *out_taken) noexcept;
// The capture that the stream began is about to end.
void free_what_waited(ThreadBlock &thread, StreamSlot &stream, uint64_t number) noexcept;

} // namespace gs
