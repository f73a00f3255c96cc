// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/watched_timelines.hpp"

#include "base/condition.hpp"
#include "core/timeline/shared_timeline.hpp"

namespace gs {
namespace {

Mutex g_watched_mutex;
Condition g_watched_changed;
TimelineSlot *g_watched GS_GUARDED_BY(g_watched_mutex) = nullptr;

} // namespace

void add_watched(TimelineSlot &slot) noexcept {
    MutexLock lock(g_watched_mutex);
    slot.shared->next = g_watched;
    g_watched = &slot;
    g_watched_changed.notify_all();
}

void remove_watched(TimelineSlot &slot) noexcept {
    MutexLock lock(g_watched_mutex);
    TimelineSlot **place = &g_watched;
    while (*place != &slot) place = &(*place)->shared->next;
    *place = slot.shared->next;
}

TimelineSlot *first_watched() noexcept {
    MutexLock lock(g_watched_mutex);
    return g_watched;
}

TimelineSlot *next_watched(const TimelineSlot &slot) noexcept {
    MutexLock lock(g_watched_mutex);
    return slot.shared->next;
}

void wait_for_watched(uint64_t longest_ns) noexcept {
    MutexLock lock(g_watched_mutex);
    while (!g_watched) g_watched_changed.wait(g_watched_mutex);
    g_watched_changed.wait_for(g_watched_mutex, longest_ns);
}

bool visit_watched_slots(bool (*visit)(void *, TimelineSlot &) noexcept, void *self) noexcept {
    MutexLock lock(g_watched_mutex);
    TimelineSlot *slot = g_watched;
    while (slot && !visit(self, *slot)) slot = slot->shared->next;
    return slot != nullptr;
}

uint32_t own_member(const TimelineSlot &slot) noexcept {
    MutexLock lock(g_watched_mutex);
    return slot.shared->member;
}

bool is_closed(const TimelineSlot &slot) noexcept {
    MutexLock lock(g_watched_mutex);
    return slot.shared->closed;
}

void close_shared(TimelineSlot &slot) noexcept {
    SharedTimeline &timeline = *slot.shared;
    leave_shared_timeline(timeline);
    wake_streams(slot);
    MutexLock lock(g_watched_mutex);
    timeline.member = kTimelineMembers; // another process may have that place now
    if (slot.lost) return;  // it is not known when a signal of its streams happens, or a wait ends: the memory stays
    timeline.closed = true; // from here on it may be unmapped
    g_watched_changed.notify_all();
}

} // namespace gs
