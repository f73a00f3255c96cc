// SPDX-License-Identifier: Apache-2.0
// The driver streams behind GS_STREAM_SHARED: 32 for each device, effective priority and blocking flag, in turn.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Made at its first turn, kept for ever.
struct SharedStream {
    uintptr_t native;
    uint32_t uid;
    bool given_out; // its raw handle is known outside, through whichever of its handles
};

// The one whose turn it is.
Status next_shared_stream(ThreadBlock &thread, Device &device, int32_t priority, bool blocking,
                          SharedStream *out) noexcept;

// The raw handle of a shared stream becomes known outside.
void note_shared_given_out(const StreamSlot &slot) noexcept;

// CAPTURING if one of them is being captured, also if its handles are gone. Asks those that were given out.
Status refuse_if_shared_captures(ThreadBlock &thread, const Device &device) noexcept;

// CAPTURING if a driver stream is being captured that no handle need lead to.
Status refuse_if_capturing(ThreadBlock &thread, const Device &device, uintptr_t native) noexcept;

} // namespace gs
