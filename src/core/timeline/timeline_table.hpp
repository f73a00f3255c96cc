// SPDX-License-Identifier: Apache-2.0
// The table of timelines: from handles to slots, and slots that wait for their next timeline.
#pragma once

#include "base/core_data.hpp"
#include "core/names.hpp"
#include "core/timeline/timeline_slot.hpp"

namespace gs {

using TimelineSlots = SlotMap<TimelineSlot, Kind::Timeline>;
GS_CORE_DATA(TimelineSlots, g_timelines);

// body(slot) under the lock of the timeline that the handle names.
inline TimelineSlot *find_timeline_slot(uint64_t handle) noexcept { return g_timelines.find(handle); }
template <typename Body>
Status with_timeline(uint64_t handle, Body &&body) noexcept GS_UNANALYSED {
    TimelineSlot *slot = find_timeline_slot(handle);
    if (!slot) return no_such_object(Kind::Timeline, handle);
    BriefGuard lock(slot->mutex);
    if (slot->handle.load(std::memory_order_relaxed) != handle) return no_such_object(Kind::Timeline, handle);
    return body(*slot);
}

// A slot without a timeline, of the device. May create the context.
Status take_timeline_slot(Device &device, TimelineSlot **out) noexcept;
// It gets no timeline after all, or its timeline has ended. keeps_events: of its signals.
void give_timeline_slot(TimelineSlot &slot, bool keeps_events = false) noexcept;
// The slot's next timeline, with its lock held. Returns the handle.
uint64_t begin_timeline(TimelineSlot &slot, uint64_t value) noexcept GS_REQUIRES(slot.mutex);
// The status of an aborted timeline, with a text.
Status check_aborted(const TimelineSlot &slot) noexcept;

// Ends a use that raised `inside`. Without the lock.
void leave_timeline(TimelineSlot &slot) noexcept;

} // namespace gs
