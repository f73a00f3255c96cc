// SPDX-License-Identifier: Apache-2.0
// Marking points: what the thread that adds one does before the scanner gets it. All fill the point but for `reached`; after a
// failure it is as it was. Those of streams and events run under the caller's CallMark.
#pragma once

#include "core/completion/point.hpp"

namespace gs {

// The end of the stream's work so far. CAPTURING: the stream is being captured, and nothing was put into it.
Status mark_stream(ThreadBlock &thread, StreamSlot &stream, Point &point) noexcept;
// The event's current record.
Status mark_event(ThreadBlock &thread, EventSlot &event, Point &point) noexcept;

// The end of all work of the device so far. Not under a CallMark, since streams that were just destroyed are collected. CAPTURING: a
// stream of the device is being captured.
Status mark_device(ThreadBlock &thread, Device &device, Point &point) noexcept __attribute__((cold));

// Records a driver event behind the stream's work so far, but for a stream that is being captured: CAPTURING.
Status record_native(ThreadBlock &thread, StreamSlot &stream, uintptr_t event) noexcept;

// Returns the key of the stream's lane. The per-thread stream is another one on every thread.
uint64_t lane_of(const ThreadBlock &thread, const StreamSlot &stream) noexcept;

} // namespace gs
