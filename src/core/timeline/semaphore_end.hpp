// SPDX-License-Identifier: Apache-2.0
// How the semaphore of an ended timeline goes back to its driver.
#pragma once

#include "core/timeline/timeline_slot.hpp"

namespace gs {

// Of an ended timeline that no stream uses. A failure of the driver is logged.
void release_semaphore(TimelineSlot &slot) noexcept;

} // namespace gs
