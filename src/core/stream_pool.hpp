// SPDX-License-Identifier: Apache-2.0
// Leased driver streams between two owners, and the round-robin pool behind GS_STREAM_SHARED.
#pragma once

#include "core/slots.hpp"

namespace gs {

// A slot with a driver stream of its own for (device, effective priority, blocking). May call the driver: to ask whether
// a used one is idle by now, or to make a new one.
Status lease_stream(ThreadBlock &thread, Device &device, int32_t priority, bool blocking, StreamSlot **out) noexcept;
// The slot's calls in flight have left. Makes no driver call.
void return_lease(StreamSlot &slot) noexcept;

// The driver stream whose turn it is among 32 per (device, effective priority, blocking).
struct SharedStream {
    uintptr_t native;
    uint32_t uid;
    bool given_out; // its raw handle is known outside, through whichever of its handles
};
Status next_shared_stream(ThreadBlock &thread, Device &device, int32_t priority, bool blocking,
                          SharedStream *out) noexcept;

// The raw handle of a shared stream becomes known outside.
void note_shared_given_out(const StreamSlot &slot) noexcept;

// CAPTURING if a driver stream of the pools is being captured: one that is shared, or whose last handle is gone. Only
// those whose raw handle was given out are asked.
Status refuse_if_pooled_captures(ThreadBlock &thread, const Device &device) noexcept;

// gs_trim: destroys the idle driver streams that wait in the pools.
Status trim_streams(ThreadBlock &thread) noexcept;

} // namespace gs
