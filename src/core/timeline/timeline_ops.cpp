// SPDX-License-Identifier: Apache-2.0
// Timelines and the host: signals, the value, threads that wait.
#include "core/completion/completion_calls.hpp"
#include "core/completion/pace.hpp"
#include "core/sync_debug.hpp"
#include "core/timeline/timeline_calls.hpp"
#include "core/timeline/timeline_use.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

using PrintedValue = unsigned long long;

// What a waiting thread asks about: the event of a signal that reaches the value.
struct Question {
    bool reached = false;
    TimelineSignal *signal = nullptr; // pinned; nullptr: none is submitted
};

Status look_at(TimelineSlot &slot, uint64_t handle, uint64_t value, Question *out) noexcept {
    return with_timeline(handle, [&](TimelineSlot &) GS_UNANALYSED -> Status {
        GS_TRY(check_aborted(slot));
        GS_TRY(check_health(*slot.device));
        out->reached = has_reached(slot, value);
        if (out->reached) return kOk;
        out->signal = submitted_signal(slot, value);
        if (out->signal) ++out->signal->pins;
        return kOk;
    });
}

// happened: a timeline whose signals come first learns of it here.
void unpin(TimelineSlot &slot, TimelineSignal &signal, bool happened) noexcept {
    BriefGuard lock(slot.mutex);
    --signal.pins;
    if (has_ended(slot))
        watch_late_signals(slot);
    else if (happened)
        raise_word(slot, signal.value);
}

// The first signal that has not happened is the only one that matters: some that have may still be kept while a call uses them.
Status check_overtakes_none(TimelineSlot &slot, uint64_t value) noexcept GS_REQUIRES(slot.mutex) {
    const TimelineSignal *signal = slot.signals.first_from(current_value(slot) + 1);
    if (signal && signal->value <= value)
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
        if (!question.signal) return waiter_.rest(seen, Waiter::kLongestRestNs) ? kOk : Status{GS_ERROR_TIMEOUT};
        const Status status = ask(*question.signal, seen, out_over);
        unpin(slot_, *question.signal, *out_over);
        return status;
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
        if (!raise_word(slot, value))
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
        GS_TRY(check_aborted(slot));
        GS_TRY(check_host_side(slot));
        *out_value = current_value(slot);
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
    const LimitedWait wait(thread, handle, timeout_ns);
    GS_TRY(wait.check(SyncCall::Event));
    thread.counters.synchronizes.add();
    TimelineSlot *slot = find_timeline_slot(handle);
    if (!slot) return no_such_object(Kind::Timeline, handle);
    slot->mutex.lock();
    const bool lives = slot->handle.load(std::memory_order_relaxed) == handle;
    const bool reached = lives && has_reached(*slot, value);
    Status status = lives ? check_aborted(*slot) : no_such_object(Kind::Timeline, handle);
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
    return wait.ended(status);
}

} // namespace gs
