// SPDX-License-Identifier: Apache-2.0
// Single records and waits that become nodes of the graph when the stream is being captured. What GS_EVENT_EXTERNAL does for
// all records and waits of an event is in event_hot.cpp.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Both run under the caller's CallMark.
Status record_as_node(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept;
Status wait_as_node(ThreadBlock &thread, StreamSlot &stream, EventSlot &event) noexcept;

} // namespace gs
