// SPDX-License-Identifier: Apache-2.0
// Signals of streams.
#include <new>
#include <utility>

#include "core/completion/scanner.hpp"
#include "core/event/spare_events.hpp"
#include "core/timeline/order.hpp"
#include "core/timeline/semaphores.hpp"
#include "core/timeline/shared_order.hpp"
#include "core/timeline/shared_timeline.hpp"
#include "core/timeline/stream_use.hpp"
#include "core/timeline/stream_words.hpp"
#include "core/timeline/timeline_bugs.hpp"
#include "core/timeline/timeline_life.hpp"
#include "core/timeline/timeline_ops.hpp"
#include "core/timeline/word_users.hpp"

namespace gs {
namespace {

// A record for a signal, with an event of the stream's device. signal: a spare one, or nullptr.
Status prepare_signal(TimelineSlot &slot, Device &device, TimelineSignal *signal, TimelineSignal **out) noexcept {
    if (!signal) signal = new (std::nothrow) TimelineSignal;
    if (!signal) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a signal of a timeline");
    if (signal->done != 0 && signal->done_device != &device) {
        give_native_event(*signal->done_device, 0, signal->done);
        signal->done = 0;
    }
    signal->done_device = &device;
    if (signal->done == 0)
        if (const Status status = take_native_event(device, 0, &signal->done); !status.ok()) {
            delete signal;
            return status;
        }
    signal->timeline = &slot;
    signal->submitted = signal->watched = false;
    signal->pins = 0;
    signal->wait_note = 0;
    *out = signal;
    return kOk;
}

void give_signal(TimelineSlot &slot, TimelineSignal &signal) noexcept {
    MutexLock lock(slot.mutex);
    signal.next = slot.spare;
    slot.spare = &signal;
}

// In use from here on. Takes a record for the signal along, if there is one.
Status use_timeline(uint64_t handle, const StreamSlot &stream, Status allowed, TimelineSignal **spare,
                    TimelineSlot **out) noexcept {
    return with_timeline(handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        GS_TRY(enter_timeline(slot, stream));
        GS_TRY(allowed);
        if (!is_semaphore(slot)) {
            if (!slot.spare) retire_signals(slot); // their records serve again
            if (slot.spare) *spare = std::exchange(slot.spare, slot.spare->next);
        }
        ++slot.inside;
        *out = &slot;
        return kOk;
    });
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

// Accepts the signal: from here on its place among the timeline's signals is fixed.
Status accept_signal(uint64_t handle, uint64_t stream, uint64_t value, TimelineSignal &signal,
                     uint64_t *out_before) noexcept {
    return with_timeline(handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        GS_TRY(check_aborted(slot));
        GS_TRY(check_reach(slot, value));
        retire_signals(slot);
        const TimelineName name{&slot, handle};
        signal.value = value;
        signal.stream = stream;
        if (slot.shared) {
            GS_TRY(claim_in_order(slot, name, signal, out_before));
            insert_signal(slot, signal);
            return kOk;
        }
        TimelineSignal *before = nullptr;
        GS_TRY(check_signal(slot, stream, value, &before));
        signal.behind = waited_value(stream, name);
        *out_before = before ? before->value : 0;
        GS_TRY(note_in_order(signal, name, *out_before));
        if (*out_before > slot.highest_wait) slot.highest_wait = *out_before;
        insert_signal(slot, signal);
        return kOk;
    });
}

// Waits for the signal before, writes the word, and marks that. *out_written: the word is or may be written.
Status submit_signal(ThreadBlock &thread, StreamSlot &stream, TimelineSlot &slot, uint64_t handle,
                     TimelineSignal &signal, uint64_t before, bool *out_written) noexcept {
    *out_written = false;
    if (before != 0 && !GS_TIMELINE_BUG(SignalsOvertake)) {
        if (slot.shared) GS_TRY(note_wait(signal.stream, {&slot, handle}, before, &signal.wait_note));
        if (const Status status = wait_for_word(thread, stream, signal.stream, slot, before); !status.ok()) {
            take_back(signal.wait_note);
            return status;
        }
    }
    GS_TRY(stream.backend->write_value(thread, stream.ref(), slot.word.address, word_value(slot, signal.value),
                                       word_flags(slot)));
    *out_written = true;
    return stream.backend->event_record(thread, signal.done, stream.ref(), false);
}

} // namespace

Status signal_in_stream(ThreadBlock &thread, StreamSlot &stream, uint64_t handle, uint64_t value) noexcept {
    const Status allowed = refuse_captured(thread, stream); // may ask the backend, which no lock is held for
    TimelineSlot *slot = nullptr;
    TimelineSignal *signal = nullptr;
    GS_TRY(use_timeline(handle, stream, allowed, &signal, &slot));
    TimelineUse use(*slot);
    const uint64_t key = key_of(thread, stream);
    if (is_semaphore(*slot)) return signal_semaphore(thread, stream, key, *slot, value);
    // An abort needs the scanner, and cannot fail for it.
    if (const Status status = start_scanner(); !status.ok()) {
        if (signal) give_signal(*slot, *signal);
        return status;
    }
    GS_TRY(prepare_signal(*slot, *stream.device, signal, &signal));
    // Held over calls of the backend, so that a signal that waits for an earlier one knows that it was submitted. No other call
    // takes this lock: signals of the host, aborts and waits go on while the driver's queue is full.
    MutexLock turn(slot->turn);
    uint64_t before = 0;
    if (const Status status = accept_signal(handle, key, value, *signal, &before); !status.ok()) {
        give_signal(*slot, *signal);
        return status;
    }
    mark_used(stream);
    bool written = false;
    const Status status = submit_signal(thread, stream, *slot, handle, *signal, before, &written);
    const bool failed_in_driver =
        !status.ok() && status.code != GS_ERROR_NOT_SUPPORTED && thread.pending.native_code != 0;
    // Without its event it cannot be waited for by that, but it happens.
    if (written && !status.ok()) give_native_event(*signal->done_device, 0, std::exchange(signal->done, 0));
    bool broken = false;
    use.finish([&]() GS_UNANALYSED {
        if (written) {
            signal->submitted = true;
        } else {
            if (slot->shared) broken = unclaim_signal(*slot->shared->memory, slot->shared->member, value);
            take_back(signal->note);
            remove_signal(*slot, *signal);
            // A driver that reports a failure may write all the same, later: not into the next timeline's word.
            if (failed_in_driver) slot->lost = true;
        }
        wake_threads(*slot);
    });
    // A stream of another process may wait for what does not come.
    if (broken) (void)abort_timeline(handle, status.code);
    return status;
}

} // namespace gs
