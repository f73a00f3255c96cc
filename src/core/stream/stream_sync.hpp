// SPDX-License-Identifier: Apache-2.0
// Queries and synchronizes streams, and orders one after another. The functions with a slot run under the caller's
// CallMark; the one with a handle blocks and pins the stream itself.
#pragma once

#include "core/device/device.hpp"
#include "core/slots.hpp"

namespace gs {

// The driver says that the stream is idle.
void note_idle(const ThreadBlock &thread, StreamSlot &stream) noexcept;
Status query_stream(ThreadBlock &thread, StreamSlot &stream, bool *out_done) noexcept;
Status synchronize_stream(ThreadBlock &thread, uint64_t handle) noexcept;
// CAPTURING if a stream of the device is known to be captured: waiting for the whole device would break the capture.
Status refuse_if_any_captures(ThreadBlock &thread, const Device &device) noexcept;
Status synchronize_device(ThreadBlock &thread, Device &device) noexcept;
// Work that `stream` is given from now on waits for the work that `other` has been given so far.
Status wait_stream(ThreadBlock &thread, StreamSlot &stream, StreamSlot &other) noexcept;

// Resets a device while other threads may be using it.

// Blocks. No call on a stream or an event of the device is inside the driver when the driver resets it.
Status reset_device(ThreadBlock &thread, Device &device) noexcept;

} // namespace gs
