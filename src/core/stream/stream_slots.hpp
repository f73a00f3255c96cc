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

// Driver streams of our own: created for a slot, destroyed with it, and asked whether they are being captured.

// A bare slot bound to a new driver stream. kind: Leased or Dedicated. priority: an effective one. partition: one that has been
// entered, for a stream that is not blocking, or nullptr.
Status make_driver_stream(Device &device, StreamKind kind, int32_t priority, uint32_t flags, PartitionSlot *partition,
                          StreamSlot **out) noexcept;
// Destroys the driver stream of a dead slot and makes the slot bare. Logs a failure. Called without a lock.
void dismantle_stream(StreamSlot &slot) noexcept;
// The same for one that may have work, which is done nevertheless, or be captured.
void end_driver_stream(StreamSlot &slot) noexcept;

// CAPTURING if the driver stream, which no live handle may lead to, is being captured.
Status refuse_if_capturing(ThreadBlock &thread, const Device &device, uintptr_t native) noexcept;

// The driver streams behind GS_STREAM_SHARED: 32 for each device, effective priority and blocking flag, used in turn.

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

// The driver event that a stream keeps for gs_stream_wait_stream.

// Made at the first call and kept. Two threads may record it at once: each then waits for one of the two records, and
// the later one covers everything that the earlier one does.
Status make_wait_event(StreamSlot &stream, uintptr_t *out) noexcept __attribute__((cold));
inline Status keep_wait_event(StreamSlot &stream, uintptr_t *out) noexcept {
    *out = stream.wait_event.load(std::memory_order_acquire);
    return *out != 0 ? kOk : make_wait_event(stream, out);
}
// Of a dead slot whose driver stream goes away.
void drop_wait_event(StreamSlot &slot) noexcept;

} // namespace gs
