// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline_slot.hpp"

#include <utility>

#include "base/log.hpp"
#include "base/status.hpp"
#include "core/event/event_calls.hpp"
#include "core/names.hpp"
#include "core/timeline/timeline_calls.hpp"
#include "core/timeline/timeline_use.hpp"

namespace gs {

constinit TimelineSlots g_timelines;

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
SlotQueue g_ended_timelines[kMaxDevices] GS_GUARDED_BY(g_timelines_mutex); // streams may still wait for their words

// With a full stock of spare events giving one back calls the driver, which a host function cannot do.
bool may_give_events() noexcept {
    const ThreadBlock *thread = this_thread();
    return thread && thread->callback_depth == 0;
}

// Of a slot that no other thread has. False: they stay with the slot.
bool give_events_of_signals(TimelineSlot &slot) noexcept {
    if (!slot.spare_events) return true;
    const bool permitted = may_give_events();
    for (TimelineSignal *spare = slot.spare; spare; spare = spare->spare_next) {
        if (spare->done == 0) continue;
        if (!permitted) return false;
        give_native_event(*spare->done_device, 0, std::exchange(spare->done, 0));
    }
    slot.spare_events = false;
    return true;
}

// May another timeline have the slot, or is its word lost? Gives back the events of streams that have passed their waits, and what
// a host function has left.
bool is_unused(ThreadBlock &thread, TimelineSlot &slot) noexcept {
    if (slot.lost) forget_users(slot);
    return all_have_passed(thread, slot) && give_events_of_signals(slot);
}

// To its driver, from an ended timeline that no stream uses. A failure is logged.
void release_semaphore(TimelineSlot &slot) noexcept {
    const uintptr_t semaphore = slot.semaphore.load(std::memory_order_relaxed);
    if (semaphore == 0) return;
    slot.semaphore.store(0, std::memory_order_relaxed);
    gs_error_info_t &pending = this_thread()->pending;
    const gs_error_info_t before = pending; // the caller may be about to return it
    const Status status = slot.device->backend->destroy_semaphore(slot.device->ordinal, semaphore);
    if (!status.ok())
        log_message(GS_LOG_WARNING, "giving a semaphore of %s device %d back failed: %s: %s",
                    slot.device->backend->name(), slot.device->ordinal, status_name(status.code), pending_text());
    pending = before;
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
        const bool unused = is_unused(*thread, *slot);
        if (unused && slot->lost) continue;
        if (unused) release_semaphore(*slot);
        // one-sided: needs 2^32 timelines in one slot
        if (unused && !used_up(*slot)) return slot;
        BriefGuard lock(g_timelines_mutex);
        g_ended_timelines[device.index].append(*slot);
    }
    return nullptr;
}

// What a live timeline keeps for its next signals. One record stays.
void trim_spare_signals(TimelineSlot &slot) noexcept {
    TimelineSignal *spare = nullptr;
    {
        BriefGuard lock(slot.mutex);
        const bool lives = slot.handle.load(std::memory_order_relaxed) != 0; // else another thread may have the slot
        if (lives && slot.spare) spare = std::exchange(slot.spare->spare_next, nullptr);
    }
    while (TimelineSignal *signal = spare) {
        spare = signal->spare_next;
        if (signal->done != 0) give_native_event(*signal->done_device, 0, signal->done);
        delete signal;
    }
}

} // namespace

Status take_timeline_slot(Device &device, TimelineSlot **out) noexcept {
    *out = take_used_slot(device);
    if (*out) return kOk;
    Word word;
    GS_TRY(take_word(device, &word));
    if (g_timelines.take_fresh(out, 1) == 0) return no_slot(Kind::Timeline);
    TimelineSlot &slot = **out;
    slot.device = &device;
    slot.word = word;
    return kOk;
}

void give_timeline_slot(TimelineSlot &slot, bool keeps_events) noexcept {
    if (slot.lost && may_give_events()) forget_users(slot);
    const bool keeps_any = keeps_events || !slot.users_of_word.empty();
    if (slot.lost && !keeps_any) return;
    BriefGuard lock(g_timelines_mutex);
    // A semaphore is given back by a call of the driver, which a destroy does not make.
    if (keeps_any || is_semaphore(slot)) return g_ended_timelines[slot.device->index].append(slot);
    slot.next = std::exchange(g_free_timelines[slot.device->index], &slot);
}

Status check_aborted(const TimelineSlot &slot) noexcept {
    const gs_status_t status = slot.aborted.load(std::memory_order_acquire);
    if (status == GS_OK) return kOk;
    return fail(status, "timeline %s was aborted with %s",
                describe_object(slot.handle.load(std::memory_order_relaxed)).text, status_name(status));
}

void leave_timeline(TimelineSlot &slot) noexcept {
    {
        BriefGuard lock(slot.mutex);
        if (--slot.inside != 0 || slot.handle.load(std::memory_order_relaxed) != 0 || !slot.signals.empty()) return;
    }
    give_timeline_slot(slot, !give_events_of_signals(slot));
}

void trim_timelines(ThreadBlock &thread) noexcept {
    forget_met_waits();
    for (SlotQueue &queue : g_ended_timelines) {
        SlotQueue waiting;
        {
            BriefGuard lock(g_timelines_mutex);
            waiting = std::exchange(queue, {});
        }
        // Lists a slot as free, or as ended again.
        while (TimelineSlot *slot = waiting.take()) {
            mark_by_devices(thread, *slot);
            const bool unused = is_unused(thread, *slot);
            if (unused && slot->lost) continue;
            if (unused) release_semaphore(*slot);
            give_timeline_slot(*slot);
        }
    }
    for (uint32_t index = g_timelines.last_index(); index != 0; --index) trim_spare_signals(*g_timelines.at(index));
}

} // namespace gs
