// SPDX-License-Identifier: Apache-2.0
// Timelines and the host: signals, the value, threads that wait.
#include "core/timeline/timeline_ops.hpp"

#include <algorithm>

#include "core/completion/await.hpp"
#include "core/completion/wait_mode.hpp"
#include "core/sync_debug.hpp"
#include "core/timeline/semaphores.hpp"
#include "core/timeline/shared_order.hpp"
#include "core/timeline/shared_timeline.hpp"
#include "core/timeline/signals.hpp"
#include "core/timeline/timeline_table.hpp"
#include "core/timeline/unwritten_signals.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

using PrintedValue = unsigned long long;

constexpr uint64_t kShortestLookNs = 5'000; // between two looks at a word that other processes write
constexpr uint64_t kLongestLookNs = 1'000'000;

// What a waiting thread asks about: the event of a signal that reaches the value.
struct Question {
    bool reached = false;
    TimelineSignal *signal = nullptr; // pinned; nullptr: none is submitted
};

Status look_at(TimelineSlot &slot, uint64_t handle, uint64_t value, Question *out) noexcept {
    return with_timeline(handle, [&](TimelineSlot &) GS_UNANALYSED -> Status {
        out->reached = has_reached(slot, value); // first: the end by another process is no value
        GS_TRY(check_aborted(slot));
        GS_TRY(check_health(*slot.device));
        if (out->reached) return kOk;
        if (!slot.shared) out->signal = submitted_signal(slot, value); // another process may be sooner
        if (out->signal) ++out->signal->pins;
        return kOk;
    });
}

void unpin(TimelineSlot &slot, TimelineSignal &signal, bool happened) noexcept {
    bool raised = false;
    {
        BriefGuard lock(slot.mutex);
        --signal.pins;
        raised = happened && !signal.written;
        if (raised) write_happened(slot, signal);
        watch_signals(slot);
    }
    if (raised) wake_streams(slot);
}

// A signal that happened may still be listed while a call uses it, so the first one does not speak for those behind it.
Status check_overtakes_none(TimelineSlot &slot, uint64_t value) noexcept GS_REQUIRES(slot.mutex) {
    if (slot.shared) {
        const Status status = claim_for_thread(*slot.shared->memory, slot.shared->member, value);
        if (!status.ok()) GS_TRY(check_aborted(slot)); // its end is no value
        return status;
    }
    for (const TimelineSignal *signal = slot.signals; signal && signal->value <= value; signal = signal->next)
        if (!has_reached(slot, signal->value))
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "a signal of %llu is submitted to stream %#llx and has not happened: %llu would overtake it",
                        static_cast<PrintedValue>(signal->value), static_cast<PrintedValue>(signal->stream),
                        static_cast<PrintedValue>(value));
    return kOk;
}

class TimelineWait {
public:
    TimelineWait(ThreadBlock &thread, TimelineSlot &slot, uint64_t handle, uint64_t value, Limit limit) noexcept
        : thread_(thread), slot_(slot), handle_(handle), value_(value), waiter_(thread, limit) {}

    Status run() noexcept {
        bool over = false;
        while (!over) GS_TRY(turn(&over));
        return kOk;
    }

private:
    Status turn(bool *out_over) noexcept {
        const uint32_t seen = thread_.signal.load(std::memory_order_acquire);
        Question question;
        GS_TRY(look_at(slot_, handle_, value_, &question));
        *out_over = question.reached;
        if (question.reached) return kOk;
        if (!question.signal) return waiter_.rest(seen, longest_rest()) ? kOk : Status{GS_ERROR_TIMEOUT};
        const Status status = ask(*question.signal, seen, out_over);
        unpin(slot_, *question.signal, *out_over);
        return status;
    }
    // Nothing wakes this thread when another process, or a device of it, has written the word.
    uint64_t longest_rest() const noexcept {
        if (!slot_.shared) return Waiter::kLongestRestNs;
        return std::clamp(waiter_.elapsed_ns() / 8, kShortestLookNs, kLongestLookNs);
    }
    Status ask(TimelineSignal &signal, uint32_t seen, bool *out_over) noexcept {
        Device &device = *signal.done_device;
        const uintptr_t event = signal.done;
        {
            const CallMark mark(thread_); // a reset of the device waits for the question
            GS_TRY(check_health(device));
            GS_TRY(device.backend->event_query(thread_, device.ordinal, event, out_over));
        }
        if (*out_over) return kOk;
        if (told_of_ != event)
            told_ =
                (device.backend->caps() & kCapWakes) != 0 && device.backend->event_signal(event, thread_.signal).ok();
        told_of_ = event;
        return waiter_.pass(learner_of(device.index).window(), told_, seen) ? kOk : Status{GS_ERROR_TIMEOUT};
    }

    ThreadBlock &thread_;
    TimelineSlot &slot_;
    const uint64_t handle_;
    const uint64_t value_;
    Waiter waiter_;
    uintptr_t told_of_ = 0;
    bool told_ = false;
};

} // namespace

Status signal_timeline(ThreadBlock &thread, uint64_t handle, uint64_t value) noexcept {
    TimelineSlot *raised = nullptr;
    const Status status = with_value(thread, handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        GS_TRY(check_aborted(slot));
        GS_TRY(check_host_side(slot));
        GS_TRY(check_health(*slot.device));
        retire_signals(slot);
        GS_TRY(check_overtakes_none(slot, value));
        if (slot.narrow && value >= current_value(slot) + kNarrowReach)
            return fail(GS_ERROR_NOT_SUPPORTED, "the device's words have 32 bits: %llu is too far above %llu",
                        static_cast<PrintedValue>(value), static_cast<PrintedValue>(current_value(slot)));
        // Of an interprocess timeline the value is taken: a larger one has come in between.
        if (!raise_word(slot, value) && !slot.shared)
            return fail(GS_ERROR_INVALID_ARGUMENT, "the timeline is at %llu already: %llu is not above it",
                        static_cast<PrintedValue>(current_value(slot)), static_cast<PrintedValue>(value));
        ++slot.inside;
        wake_threads(slot);
        raised = &slot;
        return kOk;
    });
    if (!status.ok()) return status;
    wake_streams(*raised);
    leave_timeline(*raised);
    return kOk;
}

Status timeline_value(ThreadBlock &thread, uint64_t handle, uint64_t *out_value) noexcept {
    return with_value(thread, handle, [&](TimelineSlot &slot) -> Status {
        const uint64_t value = current_value(slot); // first: the end by another process is no value
        GS_TRY(check_aborted(slot));
        GS_TRY(check_host_side(slot));
        *out_value = value;
        return kOk;
    });
}

Status timeline_first_value(uint64_t handle, uint64_t *out_value) noexcept {
    return with_timeline(handle, [&](TimelineSlot &slot) -> Status {
        *out_value = slot.first;
        return kOk;
    });
}

Status synchronize_timeline(ThreadBlock &thread, uint64_t handle, uint64_t value,
                            int64_t timeout_ns) noexcept GS_UNANALYSED {
    GS_TRY(sync_debug_check(SyncCall::Event));
    thread.counters.synchronizes.add();
    TimelineSlot *slot = find_timeline_slot(handle);
    if (!slot) return no_such_timeline(handle);
    slot->mutex.lock();
    const bool lives = slot->handle.load(std::memory_order_relaxed) == handle;
    const bool reached = lives && has_reached(*slot, value);
    Status status = lives ? check_aborted(*slot) : no_such_timeline(handle);
    if (status.ok()) status = check_host_side(*slot);
    if (!status.ok() || reached) {
        slot->mutex.unlock();
        return status;
    }
    TimelineWaiter entry{&thread.signal, slot->waiters};
    slot->waiters = &entry;
    ++slot->inside;
    slot->mutex.unlock();
    status = TimelineWait(thread, *slot, handle, value, {timeout_ns, wait_mode()}).run();
    {
        BriefGuard lock(slot->mutex);
        TimelineWaiter **place = &slot->waiters;
        while (*place != &entry) place = &(*place)->next;
        *place = entry.next;
    }
    leave_timeline(*slot);
    return status;
}

} // namespace gs
