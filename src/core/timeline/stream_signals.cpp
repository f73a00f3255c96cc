// SPDX-License-Identifier: Apache-2.0
// Signals of streams, and streams that wait.
#include <new>
#include <utility>

#include "core/completion/mark.hpp"
#include "core/completion/scanner.hpp"
#include "core/event/spare_events.hpp"
#include "core/timeline/order.hpp"
#include "core/timeline/semaphores.hpp"
#include "core/timeline/shared_order.hpp"
#include "core/timeline/shared_timeline.hpp"
#include "core/timeline/signals.hpp"
#include "core/timeline/stream_words.hpp"
#include "core/timeline/timeline_bugs.hpp"
#include "core/timeline/timeline_life.hpp"
#include "core/timeline/timeline_ops.hpp"
#include "core/timeline/timeline_table.hpp"
#include "core/timeline/word_users.hpp"

namespace gs {
namespace {

uint64_t key_of(const ThreadBlock &thread, const StreamSlot &stream) noexcept {
    return stream.immortal() ? work_of(thread, stream) : stream.handle.load(std::memory_order_relaxed);
}

// Of a call that begins, with the timeline's lock held.
Status enter_timeline(TimelineSlot &slot, const StreamSlot &stream) noexcept {
    if (slot.device->backend != stream.backend)
        return fail(GS_ERROR_NOT_SUPPORTED, "the timeline belongs to the %s backend, the stream to %s",
                    slot.device->backend->name(), stream.backend->name());
    GS_TRY(check_semaphore_stream(slot, stream));
    return check_aborted(slot);
}

Status check_reach(TimelineSlot &slot, uint64_t value) noexcept {
    if (!slot.narrow || value < current_value(slot) + kNarrowReach) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED,
                "the device's words have 32 bits: %llu is too far above the timeline's value, %llu",
                static_cast<unsigned long long>(value), static_cast<unsigned long long>(current_value(slot)));
}

// A record for a signal, with an event of the stream's device.
Status take_signal(TimelineSlot &slot, Device &device, TimelineSignal **out) noexcept {
    TimelineSignal *signal = nullptr;
    {
        MutexLock lock(slot.mutex);
        signal = slot.spare;
        if (signal) slot.spare = signal->next;
    }
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
    *out = signal;
    return kOk;
}

void give_signal(TimelineSlot &slot, TimelineSignal &signal) noexcept {
    MutexLock lock(slot.mutex);
    signal.next = slot.spare;
    slot.spare = &signal;
}

// In use from here on: what it was found by stays the timeline's until leave_timeline().
Status use_timeline(uint64_t handle, const StreamSlot &stream, TimelineSlot **out) noexcept {
    return with_timeline(handle, [&](TimelineSlot &slot) -> Status {
        GS_TRY(enter_timeline(slot, stream));
        ++slot.inside;
        *out = &slot;
        return kOk;
    });
}

class TimelineUse {
public:
    explicit TimelineUse(TimelineSlot &slot) noexcept : slot_(slot) {}
    ~TimelineUse() { leave_timeline(slot_); }
    TimelineUse(const TimelineUse &) = delete;
    TimelineUse &operator=(const TimelineUse &) = delete;

private:
    TimelineSlot &slot_;
};

// After a call of the stream that used the signal, or submitted it: an ended timeline may now watch it.
void settle_signals(TimelineSlot &slot) noexcept {
    TimelineSignal *late = nullptr;
    {
        MutexLock lock(slot.mutex);
        late = late_signals(slot);
        wake_threads(slot);
    }
    watch_late_signals(late);
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
        GS_TRY(note_signal(stream, name, value, &signal.note));
        signal.behind = waited_value(stream, name);
        *out_before = before ? before->value : 0;
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
        uint64_t note = 0;
        GS_TRY(note_wait(signal.stream, {&slot, handle}, before, &note));
        if (const Status status = wait_for_word(thread, stream, signal.stream, slot, before); !status.ok()) {
            take_back(note);
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
    TimelineSlot *slot = nullptr;
    GS_TRY(use_timeline(handle, stream, &slot));
    const TimelineUse use(*slot);
    GS_TRY(refuse_captured(thread, stream));
    if (is_semaphore(*slot)) return signal_semaphore(thread, stream, key_of(thread, stream), *slot, value);
    GS_TRY(start_scanner()); // which an abort needs, and cannot fail for
    TimelineSignal *signal = nullptr;
    GS_TRY(take_signal(*slot, *stream.device, &signal));
    // Held over calls of the backend, so that a signal that waits for an earlier one knows that it was submitted. No other call
    // takes this lock: signals of the host, aborts and waits go on while the driver's queue is full.
    MutexLock turn(slot->turn);
    uint64_t before = 0;
    const uint64_t key = key_of(thread, stream);
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
    {
        MutexLock lock(slot->mutex);
        if (written) {
            signal->submitted = true;
        } else {
            if (slot->shared) broken = unclaim_signal(*slot->shared->memory, slot->shared->member, value);
            take_back(signal->note);
            remove_signal(*slot, *signal);
            // A driver that reports a failure may write all the same, later: not into the next timeline's word.
            if (failed_in_driver) slot->lost = true;
        }
    }
    settle_signals(*slot);
    // A stream of another process may wait for what does not come.
    if (broken) (void)abort_timeline(handle, status.code);
    return status;
}

Status wait_in_stream(ThreadBlock &thread, StreamSlot &stream, uint64_t handle, uint64_t value) noexcept {
    TimelineSlot *slot = nullptr;
    GS_TRY(use_timeline(handle, stream, &slot));
    const TimelineUse use(*slot);
    GS_TRY(refuse_captured(thread, stream));
    const uint64_t key = key_of(thread, stream);
    if (is_semaphore(*slot)) return wait_semaphore(thread, stream, key, *slot, value);
    TimelineSignal *signal = nullptr;
    {
        MutexLock lock(slot->mutex);
        const bool reached = has_reached(*slot, value);
        if (slot->shared) GS_TRY(check_aborted(*slot)); // since the look above: its end is no value
        if (reached) return kOk;
        GS_TRY(check_reach(*slot, value));
        if (value > slot->highest_wait) slot->highest_wait = value;
        retire_signals(*slot);
        if (is_signalled_by(*slot, value, key)) return kOk; // the stream has the order already
        // Not one of a larger value: a signal between the two may still come, and the larger one may wait for what this
        // stream does after it.
        const bool any = GS_TIMELINE_BUG(WaitForAnySignal) && slot->signals;
        signal = signal_of(*slot, any ? slot->signals->value : value);
        if (signal) ++signal->pins;
    }
    uint64_t note = 0;
    Status status = note_wait(key, {slot, handle}, value, &note);
    if (status.ok()) {
        mark_used(stream);
        stream.last_wait_value.store(value, std::memory_order_relaxed);
        stream.last_wait.store(handle, std::memory_order_relaxed);
        status = signal ? stream.backend->stream_wait_event(thread, stream.ref(), signal->done, false)
                        : wait_for_word(thread, stream, key, *slot, value);
        if (!status.ok()) take_back(note);
    }
    if (signal) {
        {
            MutexLock lock(slot->mutex);
            --signal->pins;
        }
        settle_signals(*slot);
    }
    return status;
}

} // namespace gs
