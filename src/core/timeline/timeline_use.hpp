// SPDX-License-Identifier: Apache-2.0
// What signals and waits have in common: how they come into a timeline, ask about its signals, and leave.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "base/status.hpp"
#include "core/completion/point.hpp"
#include "core/lookup.hpp"
#include "core/stream/captured.hpp"
#include "core/timeline/timeline_slot.hpp"

namespace gs {

// The signals of a timeline that were submitted to streams and have not happened. All with the timeline's lock held.

// Forgets the signals that have happened.
void retire_signals(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);
// May a stream with that key signal the value? *out_before: the largest signal that must happen first in another stream, or
// nullptr.
Status check_signal(TimelineSlot &slot, uint64_t stream, uint64_t value, TimelineSignal **out_before) noexcept
    GS_REQUIRES(slot.mutex);
void remove_signal(TimelineSlot &slot, TimelineSignal &signal) noexcept GS_REQUIRES(slot.mutex);
// For the next signal, with its event. It is in no set.
void keep_spare(TimelineSlot &slot, TimelineSignal &signal) noexcept GS_REQUIRES(slot.mutex);
TimelineSignal *take_spare(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);

// The first one that reaches the value and can be waited for by its event.
TimelineSignal *submitted_signal(TimelineSlot &slot, uint64_t value) noexcept GS_REQUIRES(slot.mutex);
// What a stream that is to wait for a value finds among the submitted ones.
struct FoundSignal {
    bool own = false;                 // the stream itself signals the value, or a larger one
    TimelineSignal *signal = nullptr; // whose event the stream waits for; nullptr: there is none
};
FoundSignal find_signal_for(TimelineSlot &slot, uint64_t value, uint64_t stream) noexcept GS_REQUIRES(slot.mutex);

// Of an ended timeline: signals that are still to come would set its word back. The scanner gets them, so that the end is stored
// again behind each.
void watch_late_signals(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);

// CAPTURING: the stream is being captured. Else the failure of its device. May ask the backend, so no lock is held.
Status refuse_if_captured(ThreadBlock &thread, StreamSlot &stream) noexcept;
inline Status refuse_captured(ThreadBlock &thread, StreamSlot &stream) noexcept {
    GS_TRY(check_health(stream));
    return may_be_captured(stream) ? refuse_if_captured(thread, stream) : kOk;
}
// The signal is pinned, so it has its event. That may be of a device that was reset, whose events drivers crash on.
inline Status wait_for_signal(ThreadBlock &thread, const StreamSlot &stream, const TimelineSignal &signal) noexcept {
    GS_TRY(check_health(*signal.done_device));
    return stream.backend->stream_wait_event(thread, stream.ref(), signal.done, false);
}
// Of a stream's call that begins, with the timeline's lock held.
Status enter_timeline(TimelineSlot &slot, const StreamSlot &stream) noexcept;
// A call that was counted in `inside`: what it was found by stays the timeline's until it leaves.
class TimelineUse {
public:
    explicit TimelineUse(TimelineSlot &slot) noexcept : slot_(&slot) {}
    ~TimelineUse() {
        if (slot_) leave_timeline(*slot_);
    }
    TimelineUse(const TimelineUse &) = delete;
    TimelineUse &operator=(const TimelineUse &) = delete;

    // Its last changes, with the lock held: an ended timeline may now watch the signal that the call used or submitted.
    // One lock is enough while the timeline lives.
    template <typename Body>
    void finish(Body &&body) noexcept GS_UNANALYSED {
        TimelineSlot &slot = *slot_;
        BriefGuard lock(slot.mutex);
        body();
        if (has_ended(slot)) watch_late_signals(slot);
        if (slot.handle.load(std::memory_order_relaxed) == 0) return;
        --slot.inside;
        slot_ = nullptr;
    }

private:
    TimelineSlot *slot_;
};

// Of timelines whose signals come first, as the other way to a value is the word.
//
// Brings the word up to the largest signal that has happened. NOT_PERMITTED: a host function cannot ask the driver.
Status learn_value(ThreadBlock &thread, uint64_t handle) noexcept;
// Where many signals are kept, since no caller has asked: makes records of those that have happened spare. The slot is in use.
Status recycle_signals(ThreadBlock &thread, TimelineSlot &slot) noexcept;

// body(slot) as of with_timeline(), with a word that has all that had happened before the call.
template <typename Body>
Status with_value(ThreadBlock &thread, uint64_t handle, Body &&body) noexcept {
    bool ask = false;
    const Status status = with_timeline(handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        ask = is_signal_first(slot) && !slot.signals.empty() && !has_ended(slot);
        return ask ? kOk : body(slot);
    });
    if (!ask) return status;
    GS_TRY(learn_value(thread, handle));
    return with_timeline(handle, body);
}

// The word of a timeline, and the streams that wait for it. Each has an event behind the last of these waits, after which the
// word is not looked at any more.

// Raises the word; false if it has reached the value already.
bool raise_word(TimelineSlot &slot, uint64_t value) noexcept;
// Stores what lets all waits pass. With the lock held; wake_streams() follows without it.
void end_word(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);
void wake_streams(TimelineSlot &slot) noexcept;
void wake_threads(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex);

// Makes the stream wait until the word has the value. The slot is in use (`inside`); called without its lock. May make an
// event. key: of the stream. *out_waits: the wait is in the stream, even if what marks its end failed.
Status wait_for_word(ThreadBlock &thread, StreamSlot &stream, uint64_t key, TimelineSlot &slot, uint64_t value,
                     bool *out_waits) noexcept;

// The two steps of it, for what stands for a word: the stream's entry is made before anything is submitted, and marked after
// that, whether or not it failed.
Status user_of_word(TimelineSlot &slot, StreamSlot &stream, uint64_t key, WordUser **out) noexcept;
Status mark_use(ThreadBlock &thread, StreamSlot &stream, TimelineSlot &slot, WordUser &user, Status status) noexcept;

// Of an ended timeline, whose slot no other thread has.
//
// Have all streams passed their waits? Gives back the events of those that have.
bool all_have_passed(ThreadBlock &thread, TimelineSlot &slot) noexcept;
// Where a stream's own record has failed, one of all work of its device takes its place. It may fail as well, and be tried
// again.
void mark_by_devices(ThreadBlock &thread, TimelineSlot &slot) noexcept;
// Returns the events. No timeline gets the word.
void forget_users(TimelineSlot &slot) noexcept;

// Which streams wait for which signals: what is needed to find circles of waits before they hang.
//
// Only waits that are not met are kept, and signals that stand behind such waits in their streams: all others happen by
// themselves. A circle is closed by the signal that is submitted last, so that is where it is looked for.

struct TimelineSlot;

// Of one life of a timeline.
struct TimelineName {
    TimelineSlot *slot;
    uint64_t handle;
};

// stream: a key, as of the lanes of completions. The number takes the wait back if it was not submitted; 0: nothing to take back.
Status note_wait(uint64_t stream, TimelineName timeline, uint64_t value, uint64_t *out_number) noexcept;
void take_wait_back(uint64_t stream, TimelineName timeline, uint64_t number) noexcept;

struct SignalPlace {
    uint64_t number = 0; // 0: all waits that the signal stands behind are met
    uint64_t behind = 0; // the largest value of its own timeline that its stream waits for first
};
// Waits that may not be met, of all streams. While their number is 0 no signal can stand behind one.
extern std::atomic<uint32_t> g_unmet_waits __attribute__((visibility("hidden")));
Status note_signal_behind(uint64_t stream, TimelineName timeline, uint64_t value, bool waited_for,
                          SignalPlace *out) noexcept;
// DEADLOCK: the signal would stand behind a wait that only it can meet. waited_for: a wait for that value or a larger one was noted.
inline Status note_signal(uint64_t stream, TimelineName timeline, uint64_t value, bool waited_for,
                          SignalPlace *out) noexcept {
    *out = {};
    if (g_unmet_waits.load(std::memory_order_relaxed) == 0) return kOk;
    return note_signal_behind(stream, timeline, value, waited_for, out);
}
void take_signal_back(TimelineName timeline, uint64_t value) noexcept;
// Releases the memory of all that no longer matters.
void forget_met_waits() noexcept;

} // namespace gs
