// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline_table.hpp"

#include <utility>

#include "core/event/driver_events.hpp"
#include "core/timeline/order.hpp"
#include "core/timeline/semaphore_end.hpp"
#include "core/timeline/shared_timeline.hpp"
#include "core/timeline/watched_timelines.hpp"
#include "core/timeline/word_users.hpp"
#include "handle/grace.hpp"

namespace gs {

constinit SlotMap<TimelineSlot, Kind::Timeline> g_timelines;

namespace {

constexpr int kEndedLooks = 4; // slots that a create asks about before it takes another one

struct SlotQueue {
    TimelineSlot *first = nullptr;
    TimelineSlot **last = nullptr; // of a queue that is not empty

    void append(TimelineSlot &slot) noexcept {
        slot.next = nullptr;
        if (!first) last = &first;
        *last = &slot;
        last = &slot.next;
    }
    TimelineSlot *take() noexcept {
        TimelineSlot *slot = first;
        if (slot) first = slot->next;
        return slot;
    }
};

BriefLock g_timelines_mutex;
TimelineSlot *g_free_timelines[kMaxDevices] GS_GUARDED_BY(g_timelines_mutex) = {};
TimelineSlot *g_free_shared GS_GUARDED_BY(g_timelines_mutex) = nullptr;    // slots without a word
SlotQueue g_ended_timelines[kMaxDevices] GS_GUARDED_BY(g_timelines_mutex); // streams may still wait for their words

// With a full stock of spare events giving one back calls the driver, which a host function cannot do.
bool may_give_events() noexcept {
    const ThreadBlock *thread = this_thread();
    return thread && thread->callback_depth == 0;
}

// Of an ended slot that no other thread has. False: they stay with the slot.
bool give_events_of_signals(TimelineSlot &slot) noexcept {
    if (!slot.spare_events) return true;
    const bool permitted = may_give_events();
    for (TimelineSignal *spare = slot.spare; spare; spare = spare->next) {
        if (spare->done == 0) continue;
        if (!permitted) return false;
        give_native_event(*spare->done_device, 0, std::exchange(spare->done, 0));
    }
    slot.spare_events = false;
    return true;
}

void forget_users(TimelineSlot &slot) noexcept {
    while (WordUser *user = slot.users_of_word) {
        give_native_event(*user->device, 0, user->event);
        slot.users_of_word = user->next;
        delete user;
    }
}

// Have all streams passed their waits? Gives back the events of those that have, and what a host function has left.
bool word_is_unused(ThreadBlock &thread, TimelineSlot &slot) noexcept {
    if (slot.lost) forget_users(slot); // no timeline gets its word
    for (WordUser **place = &slot.users_of_word; WordUser *user = *place;) {
        if (user->unmarked) return false;
        bool done = false;
        const CallMark mark(thread); // a reset of the device waits for the question
        const Status status = user->device->backend->event_query(thread, user->device->ordinal, user->event, &done);
        if (!status.ok() || !done) return false;
        give_native_event(*user->device, 0, user->event);
        *place = user->next;
        delete user;
    }
    return give_events_of_signals(slot);
}

TimelineSlot *take_ended(Device &device) noexcept {
    BriefGuard lock(g_timelines_mutex);
    return g_ended_timelines[device.index].take();
}

TimelineSlot *take_used_slot(Device &device) noexcept {
    {
        BriefGuard lock(g_timelines_mutex);
        TimelineSlot *&list = g_free_timelines[device.index];
        while (TimelineSlot *slot = list) {
            list = slot->next;
            // one-sided: needs 2^32 timelines in one slot
            if (!used_up(*slot)) return slot;
        }
    }
    ThreadBlock *thread = this_thread();
    for (int looks = 0; thread && looks < kEndedLooks; ++looks) {
        TimelineSlot *slot = take_ended(device);
        if (!slot) return nullptr;
        const bool unused = word_is_unused(*thread, *slot);
        if (unused && slot->lost) continue;
        if (unused) release_semaphore(*slot);
        // one-sided: needs 2^32 timelines in one slot
        if (unused && !used_up(*slot)) return slot;
        BriefGuard lock(g_timelines_mutex);
        g_ended_timelines[device.index].append(*slot);
    }
    return nullptr;
}

// keeps_events: of its signals.
void list_ended(TimelineSlot &slot, bool keeps_events) noexcept {
    if (slot.lost && may_give_events()) forget_users(slot);
    const bool keeps_any = keeps_events || slot.users_of_word;
    if (slot.shared && !slot.lost) return close_shared(slot); // another thread may use the slot again at once
    if (slot.shared) close_shared(slot);
    if (slot.lost && !keeps_any) return;
    BriefGuard lock(g_timelines_mutex);
    // A semaphore is given back by a call of the driver, which a destroy does not make.
    if (keeps_any || is_semaphore(slot)) return g_ended_timelines[slot.device->index].append(slot);
    slot.next = std::exchange(g_free_timelines[slot.device->index], &slot);
}

} // namespace

Status take_timeline_slot(Device &device, TimelineSlot **out) noexcept {
    *out = take_used_slot(device);
    if (*out) return kOk;
    Word word;
    GS_TRY(take_word(device, &word));
    if (g_timelines.take_fresh(out, 1) == 0) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another timeline");
    TimelineSlot &slot = **out;
    slot.device = &device;
    slot.word = word;
    slot.narrow = !device.backend->has_wide_values(device.ordinal);
    return kOk;
}

void give_timeline_slot(TimelineSlot &slot) noexcept {
    BriefGuard lock(g_timelines_mutex);
    slot.next = std::exchange(g_free_timelines[slot.device->index], &slot);
}

Status take_shared_slot(SharedTimeline &shared, TimelineSlot **out) noexcept {
    {
        BriefGuard lock(g_timelines_mutex);
        *out = g_free_shared;
        if (*out) g_free_shared = (*out)->next;
    }
    if (!*out && g_timelines.take_fresh(out, 1) == 0)
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another timeline");
    TimelineSlot &slot = **out;
    slot.device = shared.device;
    slot.word = shared.word;
    slot.shared = &shared;
    slot.interprocess.store(true, std::memory_order_release);
    slot.lost = false;
    return kOk;
}

bool give_shared_slot(ThreadBlock &thread, TimelineSlot &slot) noexcept {
    mark_by_devices(thread, slot);
    if (slot.lost || !word_is_unused(thread, slot)) return false;
    pass_searches();
    free_shared_timeline(*std::exchange(slot.shared, nullptr));
    slot.word = {};
    // one-sided: needs 2^32 timelines in one slot
    if (used_up(slot)) return true;
    BriefGuard lock(g_timelines_mutex);
    slot.next = std::exchange(g_free_shared, &slot);
    return true;
}

Status no_such_timeline(uint64_t handle) noexcept {
    return fail(GS_ERROR_INVALID_HANDLE, "timeline %#llx is not a live timeline",
                static_cast<unsigned long long>(handle));
}

Status aborted_timeline(gs_status_t status, bool shared) noexcept {
    if (shared && status == GS_ERROR_PEER_LOST)
        return fail(status, "a process has ended that had the timeline open, or still had to signal it");
    return fail(status, "the timeline was aborted: %s", status_message(status));
}

Status check_aborted(const TimelineSlot &slot) noexcept {
    const gs_status_t status = aborted_status(slot);
    if (status == GS_OK) return kOk;
    // A device of this process that has failed: with the driver's code, and where it was seen.
    if (const Status health = check_health(*slot.device); health.code == status) return health;
    return aborted_timeline(status, slot.shared != nullptr);
}

uint64_t next_timeline(TimelineSlot &slot) noexcept {
    return g_timelines.next_handle(slot, static_cast<uint32_t>(slot.device->kind));
}

void leave_timeline(TimelineSlot &slot) noexcept {
    {
        BriefGuard lock(slot.mutex);
        if (--slot.inside != 0 || slot.handle.load(std::memory_order_relaxed) != 0 || slot.signals) return;
    }
    list_ended(slot, !give_events_of_signals(slot));
}

void trim_timelines(ThreadBlock &thread) noexcept {
    for (SlotQueue &queue : g_ended_timelines) {
        SlotQueue waiting;
        {
            BriefGuard lock(g_timelines_mutex);
            waiting = std::exchange(queue, {});
        }
        // Lists a slot as free, or as ended again.
        while (TimelineSlot *slot = waiting.take()) {
            mark_by_devices(thread, *slot);
            const bool unused = word_is_unused(thread, *slot);
            if (unused && slot->lost) continue;
            if (unused) release_semaphore(*slot);
            list_ended(*slot, false);
        }
    }
}

} // namespace gs
