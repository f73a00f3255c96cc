// SPDX-License-Identifier: Apache-2.0
// Streams that wait for timelines.
#include "core/timeline/timeline_calls.hpp"
#include "core/timeline/timeline_use.hpp"

namespace gs {
namespace {

// What a wait has to do, found with one look at the timeline.
struct WaitPlan {
    TimelineSlot *slot = nullptr;     // in use; nullptr: there is nothing to do
    TimelineSignal *signal = nullptr; // pinned: its event is waited for instead of the word
    bool noted = true;                // the wait can be part of a circle
    uint64_t value = 0;               // that it is met by
};

// With the timeline's lock held.
Status plan_wait(TimelineSlot &slot, uint64_t key, uint64_t value, WaitPlan *plan) noexcept GS_REQUIRES(slot.mutex) {
    if (has_reached(slot, value)) return kOk;
    const FoundSignal found = find_signal_for(slot, value, key);
    if (found.own) return kOk; // the stream has the order already
    const bool signal_first = is_signal_first(slot);
    if (signal_first && !found.signal)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "no signal that reaches %llu is submitted, as a wait for a timeline with "
                    "GS_TIMELINE_SIGNAL_FIRST needs",
                    static_cast<unsigned long long>(value));
    plan->slot = &slot;
    // A signal that stands behind a wait of a timeline may never happen. The word, unlike the event, lets this stream
    // go on when the timeline is aborted or ends.
    const bool may_hang = !found.signal || found.signal->note != 0;
    if (!may_hang || signal_first) {
        plan->signal = found.signal;
        ++found.signal->pins;
    }
    plan->noted = may_hang;
    plan->value = signal_first ? found.signal->value : value;
    if (may_hang && plan->value > slot.highest_wait) slot.highest_wait = plan->value;
    return kOk;
}

// A wait that can be part of a circle.
Status wait_noted(ThreadBlock &thread, StreamSlot &stream, uint64_t key, uint64_t handle,
                  const WaitPlan &plan) noexcept {
    uint64_t note = 0;
    GS_TRY(note_wait(key, {plan.slot, handle}, plan.value, &note));
    bool waits = false;
    const Status status = plan.signal ? wait_for_signal(thread, stream, *plan.signal)
                                      : wait_for_word(thread, stream, key, *plan.slot, plan.value, &waits);
    if (!status.ok() && !waits) take_wait_back(key, {plan.slot, handle}, note);
    return status;
}

} // namespace

Status wait_in_stream(ThreadBlock &thread, StreamSlot &stream, uint64_t handle, uint64_t value) noexcept {
    const Status allowed = refuse_captured(thread, stream); // may ask the backend, which no lock is held for
    const uint64_t key = lane_of(thread, stream);
    WaitPlan plan;
    const Status planned = with_timeline(handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        GS_TRY(enter_timeline(slot, stream));
        GS_TRY(allowed);
        if (is_semaphore(slot))
            plan.slot = &slot;
        else
            GS_TRY(plan_wait(slot, key, value, &plan));
        if (plan.slot) ++slot.inside;
        return kOk;
    });
    if (!planned.ok() || !plan.slot) return planned;
    TimelineUse use(*plan.slot);
    if (is_semaphore(*plan.slot)) return wait_semaphore(thread, stream, key, *plan.slot, value);
    mark_used(stream);
    note_last_wait(stream, handle, value);
    const Status status =
        plan.noted ? wait_noted(thread, stream, key, handle, plan) : wait_for_signal(thread, stream, *plan.signal);
    use.finish([&] {
        if (plan.signal) --plan.signal->pins;
    });
    return status;
}

} // namespace gs
