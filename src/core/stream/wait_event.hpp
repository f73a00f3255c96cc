// SPDX-License-Identifier: Apache-2.0
// The driver event that a stream keeps for gs_stream_wait_stream.
#pragma once

#include "core/slots.hpp"

namespace gs {

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
