// SPDX-License-Identifier: Apache-2.0
// Waits for one record of an event, by its number.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Both run under the caller's CallMark.
uint64_t event_generation(EventSlot &event) noexcept;
Status wait_generation(ThreadBlock &thread, StreamSlot &stream, EventSlot &event, uint64_t generation) noexcept;

} // namespace gs
