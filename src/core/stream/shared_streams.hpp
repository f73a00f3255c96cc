// SPDX-License-Identifier: Apache-2.0
// The driver streams behind GS_STREAM_SHARED: 32 for each device, effective priority and blocking flag, used in turn.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Made at its first turn and never destroyed.
struct SharedStream {
    uintptr_t native;
    uint32_t uid;
    bool given_out; // its raw handle is known outside, through any of its handles
};

// The next one in turn.
Status next_shared_stream(ThreadBlock &thread, Device &device, int32_t priority, bool blocking,
                          SharedStream *out) noexcept;

// Notes that the raw handle of a shared stream becomes known outside.
void note_shared_given_out(const StreamSlot &slot) noexcept;

// CAPTURING if one of them is being captured, even if its handles are gone. Asks those that were given out.
Status refuse_if_shared_captures(ThreadBlock &thread, const Device &device) noexcept;

} // namespace gs
