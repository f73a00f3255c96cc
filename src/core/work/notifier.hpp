// SPDX-License-Identifier: Apache-2.0
// Notifications: one dispatcher thread polls the events that are recorded behind the work, and calls back. No callback
// runs on a thread of the driver, so a callback may take any lock (an interpreter's, say) and does not hold up a stream.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Runs under the caller's CallMark.
Status notify(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *, gs_status_t), void *arg) noexcept;

} // namespace gs
