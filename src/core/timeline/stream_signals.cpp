// SPDX-License-Identifier: Apache-2.0
// Signals of streams.
#include <new>
#include <utility>

#include "base/log.hpp"
#include "core/completion/point.hpp"
#include "core/event/event_calls.hpp"
#include "core/timeline/timeline_calls.hpp"
#include "core/timeline/timeline_use.hpp"

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

// May the stream wait for the event of the signal before? Only if that signal stands behind no wait: an abort ends a
// wait for the word, and leaves a wait for the event.
bool has_own_event(const TimelineSlot &slot, const TimelineSignal &before) noexcept {
    return is_signal_first(slot) || (before.note == 0 && before.done != 0);
}

// The wait for the signal before comes first in the stream, so what that one waits for is part of circles too.
Status note_in_order(SignalCall &call, const TimelineSignal *before) noexcept GS_REQUIRES(call.slot.mutex) {
    TimelineSlot &slot = call.slot;
    const TimelineName name{&slot, call.handle};
    TimelineSignal &signal = *call.signal;
    if (before && (before->note != 0 || !has_own_event(slot, *before))) {
        if (before->value > slot.highest_wait) slot.highest_wait = before->value;
        GS_TRY(note_wait(call.key, name, before->value, &signal.wait_note));
    }
    SignalPlace place;
    const Status status = note_signal(call.key, name, call.value, slot.highest_wait >= call.value, &place);
    signal.note = place.number;
    signal.behind = place.behind;
    if (!status.ok()) take_wait_back(call.key, name, signal.wait_note);
    return status;
}

// Accepts the signal, with the timeline's lock held: from here on its place among the timeline's signals is fixed.
Status accept_signal(SignalCall &call) noexcept GS_REQUIRES(call.slot.mutex) {
    TimelineSlot &slot = call.slot;
    TimelineSignal &signal = *call.signal;
    signal.timeline = &slot;
    signal.submitted = signal.watched = false;
    signal.pins = 0;
    signal.wait_note = 0;
    signal.value = call.value;
    signal.stream = call.key;
    TimelineSignal *before = nullptr;
    GS_TRY(check_signal(call.slot, call.key, call.value, &before));
    GS_TRY(note_in_order(call, before));
    call.before = before ? before->value : 0;
    if (before && has_own_event(slot, *before)) {
        call.before_signal = before;
        ++before->pins;
    }
    slot.signals.insert(signal);
    call.accepted = true;
    return kOk;
}

// Accepts it with a record that has served before, if there is one. The slot is in use from here on, unless it fails.
Status accept_with_spare(SignalCall &call, Status allowed) noexcept {
    return with_timeline(call.handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        GS_TRY(enter_timeline(slot, call.stream));
        GS_TRY(allowed);
        retire_signals(slot);
        call.signal = take_spare(slot);
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
Status accept_with_new(SignalCall &call) noexcept {
    if (!call.signal && is_signal_first(call.slot)) {
        GS_TRY(recycle_signals(call.thread, call.slot));
        BriefGuard lock(call.slot.mutex);
        call.signal = take_spare(call.slot);
    }
    GS_TRY(prepare_signal(call));
    BriefGuard lock(call.slot.mutex);
    Status status = call.slot.handle.load(std::memory_order_relaxed) == call.handle
                        ? check_aborted(call.slot)
                        : no_such_object(Kind::Timeline, call.handle);
    if (status.ok()) status = accept_signal(call);
    if (!status.ok()) keep_spare(call.slot, *call.signal);
    return status;
}

Status wait_for_before(const SignalCall &call, bool *out_waits) noexcept {
    *out_waits = false;
    if (call.before == 0) return kOk;
    if (!call.before_signal)
        return wait_for_word(call.thread, call.stream, call.key, call.slot, call.before, out_waits);
    const Status status = wait_for_signal(call.thread, call.stream, *call.before_signal);
    *out_waits = status.ok();
    return status;
}

enum class Submitted { No, Written, Recorded };

// Waits for the signal before, writes the word where streams wait for it, and marks that.
Status submit_signal(const SignalCall &call, Submitted *out) noexcept {
    *out = Submitted::No;
    bool waits = false;
    if (const Status status = wait_for_before(call, &waits); !status.ok()) {
        if (!waits) take_wait_back(call.key, {&call.slot, call.handle}, call.signal->wait_note);
        return status;
    }
    if (is_signal_first(call.slot)) { // the record is the signal
        GS_TRY(record_native(call.thread, call.stream, call.signal->done));
    } else {
        Backend &backend = *call.stream.backend;
        GS_TRY(backend.write_value(call.thread, call.stream.ref(), call.slot.word.address, call.value, 0));
        *out = Submitted::Written;
        GS_TRY(backend.event_record(call.thread, call.signal->done, call.stream.ref(), false));
    }
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
    if (!slot) return no_such_object(Kind::Timeline, handle);
    if (is_semaphore(*slot)) return signal_imported(thread, stream, handle, value, allowed);
    GS_TRY(start_scanner()); // an abort and a wait for the word need it, and must not fail for it
    // Held over calls of the backend, so that a signal that waits for an earlier one knows that it was submitted. No other call
    // takes this lock: signals of the host, aborts and waits go on while the driver's queue is full.
    LaterMessages later;
    MutexLock turn(slot->turn);
    SignalCall call{thread, stream, lane_of(thread, stream), handle, value, *slot};
    GS_TRY(accept_with_spare(call, allowed));
    TimelineUse use(*slot);
    if (!call.accepted) GS_TRY(accept_with_new(call));
    mark_used(stream);
    Submitted submitted = Submitted::No;
    const Status status = submit_signal(call, &submitted);
    const bool failed_in_driver =
        !status.ok() && status.code != GS_ERROR_NOT_SUPPORTED && thread.pending.native_code != 0;
    TimelineSignal &signal = *call.signal;
    // Without its event it cannot be waited for by that, but it happens.
    if (submitted == Submitted::Written) give_native_event(*signal.done_device, 0, std::exchange(signal.done, 0));
    use.finish([&]() GS_UNANALYSED {
        if (call.before_signal) --call.before_signal->pins;
        if (submitted != Submitted::No) {
            signal.submitted = true;
        } else {
            if (signal.note != 0) take_signal_back({slot, handle}, value);
            // A driver that reports a failure may write all the same, later: not into the next timeline's word.
            if (failed_in_driver && !is_signal_first(*slot)) slot->lost = true;
            remove_signal(*slot, signal);
        }
        wake_threads(*slot);
    });
    return status;
}

} // namespace gs
