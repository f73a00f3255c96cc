// SPDX-License-Identifier: Apache-2.0
// The beginning of a stream's life: a bare slot is taken, bound to a driver stream and published with a handle.
#pragma once

#include "core/slots.hpp"

namespace gs {

// A slot without a driver stream. nullptr: memory or handles are out.
StreamSlot *take_bare_stream() noexcept;
// Clears the driver stream of a dead slot: the stream has been destroyed, or other code owns it.
void give_bare_stream(StreamSlot &slot) noexcept;

// What a slot says about its driver stream.
struct StreamBinding {
    StreamKind kind;
    uintptr_t native;
    uint32_t uid = kUnknownStream;
    int32_t priority = 0;
    uint32_t flags = 0;
    bool used = true;      // false: nothing can have been enqueued to it yet
    bool exported = false; // its raw handle is known outside
};
// The only place that fills a slot.
void bind_slot(StreamSlot &slot, Device &device, const StreamBinding &binding) noexcept;

// Publishes the bound slot under a new handle with one caller's reference. The slot has handles left.
void publish_stream(ThreadBlock &thread, StreamSlot &slot, uint64_t *out_handle) noexcept;

// Makes the device's default and per-thread stream.
Status add_default_streams(Device &device) noexcept;

// The unique number of a new driver stream; kUnknownStream once they are used up.
uint32_t new_stream_uid() noexcept;

// Identity of streams, as the bindings' ==, hash and stream_id have it.

int64_t stream_id(const StreamSlot &slot) noexcept;
// The same driver stream, whichever handles name it.
bool same_stream(const StreamSlot &a, const StreamSlot &b) noexcept;
uint64_t stream_hash(const StreamSlot &slot) noexcept;

} // namespace gs
