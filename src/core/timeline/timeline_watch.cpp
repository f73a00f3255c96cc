// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline_watch.hpp"

#include "base/last_thread.hpp"
#include "base/os_thread.hpp"
#include "core/timeline/shared_timeline.hpp"
#include "core/timeline/signals.hpp"
#include "core/timeline/timeline_life.hpp"
#include "core/timeline/timeline_table.hpp"
#include "core/timeline/watched_timelines.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

constexpr uint64_t kLooksEveryNs = 20'000'000; // others hear within 100 ms that a process has ended

Mutex g_watch_mutex;
bool g_watch_running GS_GUARDED_BY(g_watch_mutex) = false;

// A device that has failed signals no more.
gs_status_t failed_device(TimelineSlot &slot) noexcept {
    BriefGuard lock(slot.mutex);
    Status status = check_health(*slot.device);
    for (const TimelineSignal *signal = slot.signals; signal && status.ok(); signal = signal->next)
        status = check_health(*signal->done_device);
    return status.code;
}

// What a kernel does to its device is seen by the next question only, and maybe no other thread asks one: a thread that waits for an
// interprocess timeline looks at its word. A question that fails on a healthy device is no answer.
gs_status_t ask_for_failure(ThreadBlock &thread, TimelineSlot &slot) noexcept {
    TimelineSignal *signal = nullptr;
    {
        BriefGuard lock(slot.mutex);
        signal = slot.signals;
        while (signal && !(signal->submitted && signal->done != 0)) signal = signal->next;
        if (!signal) return GS_OK;
        ++signal->pins;
    }
    Device &device = *signal->done_device;
    Status status;
    {
        const CallMark mark(thread); // a reset of the device waits for the question
        bool done = false;
        status = check_health(device);
        if (status.ok()) device.backend->event_query(thread, device.ordinal, signal->done, &done).ignore();
        if (status.ok()) status = check_health(device);
    }
    BriefGuard lock(slot.mutex);
    --signal->pins;
    watch_signals(slot);
    return status.code;
}

// What has ended for other processes ends here too. Signals that come after an abort set the word back: it is stored
// again each time.
void end_here(TimelineSlot &slot, gs_status_t status) noexcept {
    const uint64_t handle = slot.handle.load(std::memory_order_acquire);
    if (handle != 0 && slot.aborted.load(std::memory_order_acquire) == GS_OK) {
        (void)abort_timeline(handle, status); // it may end in between
        return;
    }
    BriefGuard lock(slot.mutex);
    if (current_value(slot) != kTimelineEnd) end_word(slot);
    wake_streams(slot);
}

void look_at_timeline(ThreadBlock &thread, TimelineSlot &slot, DeadProcesses &dead) noexcept {
    SharedTimeline &timeline = *slot.shared;
    TimelineShared &memory = *timeline.memory;
    if (shared_status(memory) == GS_OK) {
        const bool lost = has_lost_member(memory, own_member(slot), timeline.name.creator, dead);
        gs_status_t status = lost ? GS_ERROR_PEER_LOST : GS_OK;
        if (status == GS_OK) status = failed_device(slot);
        if (status == GS_OK) status = ask_for_failure(thread, slot);
        if (status == GS_OK) {
            if (end_without_members(memory)) wake_streams(slot); // of this process, which has given it up
            (void)current_value(slot);
            return;
        }
        abort_shared(memory, status);
    }
    end_here(slot, shared_status(memory));
}

void release_closed(ThreadBlock &thread, TimelineSlot &slot) noexcept {
    remove_watched(slot);
    if (!give_shared_slot(thread, slot)) add_watched(slot); // streams still wait
}

void run_timeline_watch(void *) {
    ThreadBlock &thread = *this_thread(); // start_thread() has reserved it
    for (;;) {
        wait_for_watched(kLooksEveryNs);
        DeadProcesses dead;
        TimelineSlot *slot = first_watched();
        while (slot) {
            TimelineSlot *next = next_watched(*slot);
            const bool closed = is_closed(*slot); // before the look: a signal may come in between
            look_at_timeline(thread, *slot, dead);
            if (closed) release_closed(thread, *slot);
            slot = next;
        }
    }
}

// A process that has nothing left but waits for other processes may end.
bool watch_is_idle(void *, uint64_t *turns) noexcept {
    *turns = 0;
    return true;
}

Service g_watch_service{watch_is_idle, nullptr};

} // namespace

Status start_timeline_watch() noexcept {
    MutexLock lock(g_watch_mutex);
    if (g_watch_running) return kOk;
    GS_TRY(add_service(g_watch_service));
    GS_TRY(start_thread("gs-timelines", run_timeline_watch, nullptr));
    g_watch_running = true;
    return kOk;
}

} // namespace gs
