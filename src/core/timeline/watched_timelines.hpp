// SPDX-License-Identifier: Apache-2.0
// The timelines that this process shares with others, from their handles to the end of their memory.
#pragma once

#include "core/timeline/timeline_slot.hpp"

namespace gs {

// The slot has got its handle, or streams still wait for the word of one that was taken out.
void add_watched(TimelineSlot &slot) noexcept;
// Only the thread of timeline_watch.cpp takes one out, so it may go from one to the next.
void remove_watched(TimelineSlot &slot) noexcept;
TimelineSlot *first_watched() noexcept;
TimelineSlot *next_watched(const TimelineSlot &slot) noexcept;
// Until there is one, and then until one changes, for at most that time.
void wait_for_watched(uint64_t longest_ns) noexcept;

bool visit_watched_slots(bool (*visit)(void *, TimelineSlot &) noexcept, void *self) noexcept;
// visit(slot) for each one until it returns true. Whether it did.
template <typename Visit>
bool visit_watched(Visit &&visit) noexcept {
    return visit_watched_slots(
        [](void *self, TimelineSlot &slot) noexcept { return (*static_cast<Visit *>(self))(slot); }, &visit);
}

// kTimelineMembers: this process has given it up.
uint32_t own_member(const TimelineSlot &slot) noexcept;
bool is_closed(const TimelineSlot &slot) noexcept;
// The last reference of this process is gone, no call is inside, and all signals of its streams have happened.
void close_shared(TimelineSlot &slot) noexcept;

} // namespace gs
