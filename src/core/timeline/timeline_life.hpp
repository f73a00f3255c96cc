// SPDX-License-Identifier: Apache-2.0
// How timelines begin and end.
#pragma once

#include "core/timeline/timeline_slot.hpp"

namespace gs {

Status create_timeline(Device &device, uint64_t initial, uint64_t *out_handle) noexcept;
// The slot's next timeline, with its lock held and the word in place. Returns the handle.
uint64_t begin_timeline(TimelineSlot &slot, uint64_t value) noexcept GS_REQUIRES(slot.mutex);
Status retain_timeline(uint64_t handle) noexcept;
Status release_timeline(uint64_t handle) noexcept;
// The first status stays.
Status abort_timeline(uint64_t handle, gs_status_t status) noexcept;

} // namespace gs
