// SPDX-License-Identifier: Apache-2.0
// Streams that wait for timelines.
#include "core/timeline/order.hpp"
#include "core/timeline/semaphores.hpp"
#include "core/timeline/stream_use.hpp"
#include "core/timeline/stream_words.hpp"
#include "core/timeline/timeline_bugs.hpp"
#include "core/timeline/timeline_ops.hpp"
#include "core/timeline/unwritten_signals.hpp"
#include "core/timeline/word_users.hpp"

namespace gs {
namespace {

// What a wait has to do, found with one look at the timeline.
struct WaitPlan {
    TimelineSlot *slot = nullptr;     // in use; nullptr: there is nothing to do
    TimelineSignal *signal = nullptr; // pinned: its event is waited for instead of the word
    bool noted = true;                // the wait can be part of a circle
    bool ask = false;                 // first: signals that are not written may have happened
};

// With the timeline's lock held.
Status plan_wait(TimelineSlot &slot, uint64_t key, uint64_t value, bool asked, WaitPlan *plan) noexcept
    GS_REQUIRES(slot.mutex) {
    const bool reached = has_reached(slot, value);
    if (slot.shared) GS_TRY(check_aborted(slot)); // since the look above: its end is no value
    if (reached) return kOk;
    GS_TRY(check_reach(slot, value));
    if (value > slot.highest_wait) slot.highest_wait = value;
    retire_signals(slot);
    // Not the event of a larger value: a signal between the two may still come, and the larger one may wait for what this
    // stream does after it.
    const bool any = GS_TIMELINE_BUG(WaitForAnySignal) && slot.signals;
    const FoundSignal found = find_signal_for(slot, any ? slot.signals->value : value, key);
    if (found.own) return kOk; // the stream has the order already
    // Also where the word is needed for the first time: what has happened is then known before the stream is held, and with it
    // whatever waits for room in its queue.
    if (!found.signal && !asked && unwritten_signals(slot) != 0 && (!slot.writes || slot.last_signal->value > value)) {
        plan->ask = true;
        return kOk;
    }
    plan->slot = &slot;
    // A signal that stands behind a wait of a timeline may never happen: the word lets this stream go on when the timeline is
    // aborted or ends, which the event does not.
    if (!found.signal) { // no stream has been told to write the value
        slot.writes = true;
        watch_signals(slot);
    }
    if (!found.signal || found.signal->note != 0) return kOk;
    plan->signal = found.signal;
    ++found.signal->pins;
    // It happens, so this wait ends. Of the streams of other processes too little is known to say so.
    plan->noted = slot.shared != nullptr;
    return kOk;
}

void note_last_wait(StreamSlot &stream, uint64_t handle, uint64_t value) noexcept {
    mark_used(stream);
    stream.last_wait_value.store(value, std::memory_order_relaxed);
    stream.last_wait.store(handle, std::memory_order_relaxed);
}

// For the word, or for the event of a signal where that can be part of a circle.
Status wait_noted(ThreadBlock &thread, StreamSlot &stream, uint64_t key, uint64_t handle, uint64_t value,
                  const WaitPlan &plan) noexcept {
    uint64_t note = 0;
    GS_TRY(note_wait(key, {plan.slot, handle}, value, &note));
    note_last_wait(stream, handle, value);
    bool waits = false;
    const Status status = plan.signal
                              ? stream.backend->stream_wait_event(thread, stream.ref(), plan.signal->done, false)
                              : wait_for_word(thread, stream, key, *plan.slot, value, &waits);
    if (!status.ok() && !waits) take_back(note);
    return status;
}

// asked: the driver, about signals that are not written.
Status wait_once(ThreadBlock &thread, StreamSlot &stream, uint64_t handle, uint64_t value, bool asked) noexcept {
    const Status allowed = refuse_captured(thread, stream); // may ask the backend, which no lock is held for
    const uint64_t key = lane_of(thread, stream);
    WaitPlan plan;
    const Status planned = with_timeline(handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        GS_TRY(enter_timeline(slot, stream));
        GS_TRY(allowed);
        if (is_semaphore(slot))
            plan.slot = &slot;
        else
            GS_TRY(plan_wait(slot, key, value, asked, &plan));
        if (plan.slot) ++slot.inside;
        return kOk;
    });
    if (plan.ask) {
        GS_TRY(learn_value(thread, handle));
        return wait_once(thread, stream, handle, value, true);
    }
    if (!planned.ok() || !plan.slot) return planned;
    TimelineUse use(*plan.slot);
    Status status;
    if (!plan.noted) {
        note_last_wait(stream, handle, value);
        status = stream.backend->stream_wait_event(thread, stream.ref(), plan.signal->done, false);
    } else if (is_semaphore(*plan.slot)) {
        return wait_semaphore(thread, stream, key, *plan.slot, value);
    } else {
        status = wait_noted(thread, stream, key, handle, value, plan);
    }
    use.finish([&] {
        if (plan.signal) --plan.signal->pins;
    });
    return status;
}

} // namespace

Status wait_in_stream(ThreadBlock &thread, StreamSlot &stream, uint64_t handle, uint64_t value) noexcept {
    return wait_once(thread, stream, handle, value, false);
}

} // namespace gs
