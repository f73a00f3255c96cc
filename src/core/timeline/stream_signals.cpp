// SPDX-License-Identifier: Apache-2.0
// Signals of streams.
#include <new>
#include <utility>

#include "core/completion/scanner.hpp"
#include "core/event/driver_events.hpp"
#include "core/timeline/order.hpp"
#include "core/timeline/semaphores.hpp"
#include "core/timeline/shared_order.hpp"
#include "core/timeline/shared_timeline.hpp"
#include "core/timeline/stream_use.hpp"
#include "core/timeline/stream_words.hpp"
#include "core/timeline/timeline_bugs.hpp"
#include "core/timeline/timeline_life.hpp"
#include "core/timeline/timeline_ops.hpp"
#include "core/timeline/unwritten_signals.hpp"
#include "core/timeline/word_users.hpp"

namespace gs {
namespace {

// A call that submits a signal. Its turn is taken.
struct SignalCall {
    ThreadBlock &thread;
    StreamSlot &stream;
    const uint64_t key; // of the stream
    const uint64_t handle;
    const uint64_t value;
    TimelineSlot &slot;
    TimelineSignal *signal = nullptr;
    bool accepted = false;
    uint64_t before = 0;                     // the value that it waits for first; 0: none
    TimelineSignal *before_signal = nullptr; // pinned: that wait is for its event
};

bool is_ready(const TimelineSignal &signal, const Device *device) noexcept {
    return signal.done != 0 && signal.done_device == device;
}

// A record for the signal, with an event of the stream's device.
Status prepare_signal(SignalCall &call) noexcept {
    Device &device = *call.stream.device;
    TimelineSignal *signal = call.signal ? call.signal : new (std::nothrow) TimelineSignal;
    if (!signal) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a signal of a timeline");
    if (signal->done != 0 && !is_ready(*signal, &device))
        give_native_event(*signal->done_device, 0, std::exchange(signal->done, 0));
    signal->done_device = &device;
    if (signal->done == 0)
        if (const Status status = take_native_event(device, 0, &signal->done); !status.ok()) {
            delete signal;
            call.signal = nullptr;
            return status;
        }
    call.signal = signal;
    return kOk;
}

// The value of the signal before, which the new one waits for; 0: none, or one of the same stream.
uint64_t value_before(TimelineSlot &slot, const SignalBefore &before, uint64_t stream) noexcept
    GS_REQUIRES(slot.mutex) {
    if (before.value == 0 || before.member != slot.shared->member) return before.value;
    const TimelineSignal *signal = slot.signals;
    while (signal && signal->value != before.value) signal = signal->next;
    return signal && signal->stream == stream ? 0 : before.value;
}

// The same as check_signal() and note_signal() for the streams of several processes.
Status claim_in_order(TimelineSlot &slot, const TimelineName &name, TimelineSignal &signal,
                      uint64_t *out_before) noexcept GS_REQUIRES(slot.mutex) {
    GS_TRY(note_signal(signal.stream, name, signal.value, &signal.note));
    signal.behind = waited_value(signal.stream, name);
    SignalBefore before{};
    const Status status = claim_signal(*slot.shared->memory, slot.shared->member, signal.value, signal.behind, &before);
    if (status.ok()) {
        *out_before = value_before(slot, before, signal.stream);
        return kOk;
    }
    take_back(signal.note);
    GS_TRY(check_aborted(slot)); // its end is no value
    return status;
}

// The wait for the signal before comes first in the stream, so what that one waits for is part of circles too.
Status note_in_order(TimelineSignal &signal, const TimelineName &name, uint64_t before) noexcept {
    if (before != 0) GS_TRY(note_wait(signal.stream, name, before, &signal.wait_note));
    const Status status = note_signal(signal.stream, name, signal.value, &signal.note);
    if (!status.ok()) take_back(std::exchange(signal.wait_note, 0));
    return status;
}

// May the stream wait for the event of the signal before? Not where it stands behind a wait, which an abort ends, and the
// event does not.
bool has_own_event(const TimelineSignal &before) noexcept { return before.note == 0 && before.done != 0; }

// Accepts the signal, with the timeline's lock held: from here on its place among the timeline's signals is fixed.
Status accept_signal(SignalCall &call) noexcept GS_UNANALYSED {
    TimelineSlot &slot = call.slot;
    TimelineSignal &signal = *call.signal;
    GS_TRY(check_reach(slot, call.value));
    retire_signals(slot);
    const TimelineName name{&slot, call.handle};
    signal.timeline = &slot;
    signal.submitted = signal.watched = false;
    signal.pins = 0;
    signal.wait_note = 0;
    signal.value = call.value;
    signal.stream = call.key;
    if (slot.shared) {
        signal.written = true;
        GS_TRY(claim_in_order(slot, name, signal, &call.before));
        insert_signal(slot, signal);
        call.accepted = true;
        return kOk;
    }
    TimelineSignal *before = nullptr;
    GS_TRY(check_signal(slot, call.key, call.value, &before));
    signal.behind = waited_value(call.key, name);
    const bool by_event = before && has_own_event(*before);
    call.before = before ? before->value : 0;
    GS_TRY(note_in_order(signal, name, by_event ? 0 : call.before));
    if (by_event) {
        call.before_signal = before;
        ++before->pins;
    } else if (call.before > slot.highest_wait) {
        slot.highest_wait = call.before;
    }
    // A wait for a signal that stands behind a wait is one for the word.
    signal.written = slot.writes || signal.note != 0;
    insert_signal(slot, signal);
    ++slot.accepted;
    call.accepted = true;
    return kOk;
}

// Accepts it with a record that has served before, if there is one. *out_old: no record is left, and this one may have happened.
// The slot is in use from here on, unless it fails.
Status accept_with_spare(SignalCall &call, Status allowed, TimelineSignal **out_old) noexcept {
    return with_timeline(call.handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        GS_TRY(enter_timeline(slot, call.stream));
        GS_TRY(allowed);
        if (!slot.spare) retire_signals(slot);
        call.signal = slot.spare;
        if (!call.signal) *out_old = old_signal(slot);
        if (call.signal) slot.spare = call.signal->next;
        if (call.signal && is_ready(*call.signal, call.stream.device))
            if (const Status status = accept_signal(call); !status.ok()) {
                keep_spare(slot, *call.signal);
                return status;
            }
        ++slot.inside;
        return kOk;
    });
}

// The same with a record that has to be made.
Status accept_with_new(SignalCall &call, TimelineSignal *old) noexcept {
    if (old) {
        GS_TRY(ask_about_old(call.thread, call.slot, *old));
        BriefGuard lock(call.slot.mutex);
        call.signal = call.slot.spare;
        if (call.signal) call.slot.spare = call.signal->next;
    }
    GS_TRY(prepare_signal(call));
    BriefGuard lock(call.slot.mutex);
    Status status = call.slot.handle.load(std::memory_order_relaxed) == call.handle ? check_aborted(call.slot)
                                                                                    : no_such_timeline(call.handle);
    if (status.ok()) status = accept_signal(call);
    if (!status.ok()) keep_spare(call.slot, *call.signal);
    return status;
}

Status wait_for_before(const SignalCall &call) noexcept {
    if (call.before == 0 || GS_TIMELINE_BUG(SignalsOvertake)) return kOk;
    TimelineSlot &slot = call.slot;
    if (call.before_signal)
        return call.stream.backend->stream_wait_event(call.thread, call.stream.ref(), call.before_signal->done, false);
    uint64_t &note = call.signal->wait_note;
    if (slot.shared) GS_TRY(note_wait(call.key, {&slot, call.handle}, call.before, &note));
    bool waits = false;
    const Status status = wait_for_word(call.thread, call.stream, call.key, slot, call.before, &waits);
    if (!status.ok() && !waits) take_back(note);
    return status;
}

enum class Submitted { No, Written, Recorded };

// Waits for the signal before, writes the word if it is needed, and marks that.
Status submit_signal(const SignalCall &call, Submitted *out) noexcept {
    *out = Submitted::No;
    GS_TRY(wait_for_before(call));
    Backend &backend = *call.stream.backend;
    if (call.signal->written) {
        GS_TRY(backend.write_value(call.thread, call.stream.ref(), call.slot.word.address,
                                   word_value(call.slot, call.value), word_flags(call.slot)));
        *out = Submitted::Written;
    }
    GS_TRY(backend.event_record(call.thread, call.signal->done, call.stream.ref(), false));
    *out = Submitted::Recorded;
    return kOk;
}

// Of an imported semaphore, which has no list of signals.
Status signal_imported(ThreadBlock &thread, StreamSlot &stream, uint64_t handle, uint64_t value,
                       Status allowed) noexcept {
    TimelineSlot *slot = nullptr;
    const Status entered = with_timeline(handle, [&](TimelineSlot &found) GS_UNANALYSED -> Status {
        GS_TRY(enter_timeline(found, stream));
        GS_TRY(allowed);
        ++found.inside;
        slot = &found;
        return kOk;
    });
    GS_TRY(entered);
    TimelineUse use(*slot);
    return signal_semaphore(thread, stream, lane_of(thread, stream), *slot, value);
}

} // namespace

Status signal_in_stream(ThreadBlock &thread, StreamSlot &stream, uint64_t handle, uint64_t value) noexcept {
    const Status allowed = refuse_captured(thread, stream); // may ask the backend, which no lock is held for
    TimelineSlot *slot = find_timeline_slot(handle);
    if (!slot) return no_such_timeline(handle);
    if (is_semaphore(*slot)) return signal_imported(thread, stream, handle, value, allowed);
    GS_TRY(start_scanner()); // an abort and a wait for the word need it, and must not fail for it
    // Held over calls of the backend, so that a signal that waits for an earlier one knows that it was submitted. No other call
    // takes this lock: signals of the host, aborts and waits go on while the driver's queue is full.
    MutexLock turn(slot->turn);
    SignalCall call{thread, stream, lane_of(thread, stream), handle, value, *slot};
    TimelineSignal *old = nullptr;
    GS_TRY(accept_with_spare(call, allowed, &old));
    TimelineUse use(*slot);
    if (!call.accepted) GS_TRY(accept_with_new(call, old));
    mark_used(stream);
    Submitted submitted = Submitted::No;
    const Status status = submit_signal(call, &submitted);
    const bool failed_in_driver =
        !status.ok() && status.code != GS_ERROR_NOT_SUPPORTED && thread.pending.native_code != 0;
    TimelineSignal &signal = *call.signal;
    // Without its event it cannot be waited for by that, but it happens.
    if (submitted == Submitted::Written) give_native_event(*signal.done_device, 0, std::exchange(signal.done, 0));
    bool broken = false;
    use.finish([&]() GS_UNANALYSED {
        if (call.before_signal) --call.before_signal->pins;
        if (submitted != Submitted::No) {
            signal.submitted = true;
        } else {
            if (slot->shared) broken = unclaim_signal(*slot->shared->memory, slot->shared->member, value);
            take_back(signal.note);
            // A driver that reports a failure may write all the same, later: not into the next timeline's word.
            if (failed_in_driver && signal.written) slot->lost = true;
            remove_signal(*slot, signal);
        }
        wake_threads(*slot);
    });
    // A stream of another process may wait for what does not come.
    if (broken) (void)abort_timeline(handle, status.code);
    return status;
}

} // namespace gs
