// SPDX-License-Identifier: Apache-2.0
// Notifications: functions that the dispatcher calls when a point of a stream is reached.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Runs under the caller's CallMark.
Status notify(ThreadBlock &thread, StreamSlot &stream, void (*fn)(void *, gs_status_t), void *arg) noexcept;

} // namespace gs
