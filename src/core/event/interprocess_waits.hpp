// SPDX-License-Identifier: Apache-2.0
// Waits of streams for interprocess events, which not every backend allows on another device than the event's.
#pragma once

#include "core/slots.hpp"

namespace gs {

// False: the backend must not be asked to let the stream wait for an interprocess event of the device.
bool may_wait_interprocess(const StreamSlot &stream, const Device &home) noexcept;
// stream_wait_event() for an interprocess event of the device `home`, whichever the stream's device is.
Status wait_interprocess(ThreadBlock &thread, StreamSlot &stream, Device &home, uintptr_t event) noexcept;
// Of a graph's nodes that wait for interprocess events. NOT_SUPPORTED: it would wait on another device than the event's.
Status check_interprocess_node(const StreamSlot &stream, const EventSlot &event) noexcept;

} // namespace gs
