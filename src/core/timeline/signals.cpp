// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/signals.hpp"

#include <utility>

#include "base/clock.hpp"
#include "core/completion/scanner.hpp"
#include "core/event/driver_events.hpp"
#include "core/timeline/timeline_bugs.hpp"
#include "core/timeline/timeline_table.hpp"

namespace gs {
namespace {

using SignalValue = unsigned long long;

void count_unwritten(TimelineSlot &slot, int by) noexcept GS_REQUIRES(slot.mutex) {
    slot.unwritten.store(unwritten_signals(slot) + static_cast<uint32_t>(by), std::memory_order_relaxed);
}

bool has_ended(const TimelineSlot &slot) noexcept {
    return aborted_status(slot) != GS_OK || slot.handle.load(std::memory_order_relaxed) == 0;
}

// The signal of exactly this value, with an event. The list reaches the value. Looks from where the last wait was found, or from
// the largest, whichever is nearer.
TimelineSignal *signal_of(TimelineSlot &slot, uint64_t value) noexcept GS_REQUIRES(slot.mutex) {
    TimelineSignal *signal = slot.last_signal;
    if (TimelineSignal *beside = slot.waited_for) {
        const uint64_t far = beside->value > value ? beside->value - value : value - beside->value;
        if (far < signal->value - value) signal = beside;
    }
    while (signal->value < value) signal = signal->next;
    while (signal && signal->value > value) signal = signal->previous;
    if (!signal || signal->value != value) return nullptr;
    slot.waited_for = signal;
    return signal->submitted && signal->done != 0 ? signal : nullptr;
}

// The event stays the signal's, since other threads may be asking about it.
void on_watched_signal(Point &point, bool) noexcept {
    auto &signal = static_cast<TimelineSignal &>(point);
    TimelineSlot &slot = *signal.timeline;
    {
        BriefGuard lock(slot.mutex);
        ++slot.inside;
        signal.watched = false;
        signal.kept = 0;
        const bool ended = has_ended(slot);
        const bool happened = signal.outcome.status == GS_OK;
        if (!ended && happened) write_happened(slot, signal);
        // The last reference of one process does not end what others go on with.
        else if (ended && (!slot.shared || aborted_status(slot) != GS_OK))
            end_word(slot);
        if ((ended || happened) && signal.pins == 0) remove_signal(slot, signal);
    }
    wake_streams(slot);
    leave_timeline(slot);
}

void give_to_scanner(TimelineSignal &signal, uint64_t lane) noexcept {
    signal.watched = true;
    signal.device = signal.done_device;
    signal.event = signal.done;
    signal.keeps = signal.retries = true; // the failure has no caller to go to, and a stream may wait for the word
    signal.lane = lane;
    signal.number = 0;
    signal.added_ns = monotonic_ns();
    signal.dropped.store(false, std::memory_order_relaxed);
    signal.reached = on_watched_signal;
    watch_point(signal);
}

} // namespace

void retire_listed_signals(TimelineSlot &slot) noexcept {
    const uint64_t now =
        current_value(slot); // first: another process may end the timeline, and what is seen then is no value
    if (has_ended(slot)) return;
    for (TimelineSignal *signal = slot.signals; signal && signal->value <= now;) {
        TimelineSignal *following = signal->next;
        if (signal->submitted && signal->pins == 0 && !signal->watched) remove_signal(slot, *signal);
        signal = following;
    }
}

Status check_signal(TimelineSlot &slot, uint64_t stream, uint64_t value, TimelineSignal **out_before) noexcept {
    *out_before = nullptr;
    const uint64_t now = current_value(slot);
    if (value <= now)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the timeline is at %llu already: %llu is not above it",
                    static_cast<SignalValue>(now), static_cast<SignalValue>(value));
    // From the largest down: it is the largest itself, as a rule.
    const TimelineSignal *early = nullptr;
    TimelineSignal *before = slot.last_signal;
    for (; before && before->value > value; before = before->previous)
        if (before->behind < value) early = before;
    if (before && before->value == value)
        return fail(GS_ERROR_INVALID_ARGUMENT, "a signal of %llu is submitted already",
                    static_cast<SignalValue>(value));
    if (early)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "a signal of %llu is submitted to stream %#llx, which does not wait for %llu first: it could "
                    "happen before this one",
                    static_cast<SignalValue>(early->value), static_cast<SignalValue>(early->stream),
                    static_cast<SignalValue>(value));
    if (before && before->stream != stream && before->value > now) *out_before = before;
    return kOk;
}

void insert_signal(TimelineSlot &slot, TimelineSignal &signal) noexcept {
    if (!slot.signals)
        slot.only_stream = signal.stream;
    else if (slot.only_stream != signal.stream)
        slot.only_stream = 0;
    TimelineSignal *before = slot.last_signal;
    while (before && before->value > signal.value) before = before->previous;
    signal.previous = before;
    signal.next = before ? before->next : slot.signals;
    (before ? before->next : slot.signals) = &signal;
    (signal.next ? signal.next->previous : slot.last_signal) = &signal;
    if (!signal.written) count_unwritten(slot, 1);
}

void remove_signal(TimelineSlot &slot, TimelineSignal &signal) noexcept {
    if (!signal.written) count_unwritten(slot, -1);
    if (slot.waited_for == &signal) slot.waited_for = signal.next;
    (signal.previous ? signal.previous->next : slot.signals) = signal.next;
    (signal.next ? signal.next->previous : slot.last_signal) = signal.previous;
    keep_spare(slot, signal);
}

void keep_spare(TimelineSlot &slot, TimelineSignal &signal) noexcept {
    slot.spare_events |= signal.done != 0;
    signal.next = slot.spare;
    slot.spare = &signal;
}

void write_happened(TimelineSlot &slot, TimelineSignal &signal) noexcept {
    raise_word(slot, signal.value);
    if (signal.written) return;
    signal.written = true;
    count_unwritten(slot, -1);
}

TimelineSignal *submitted_signal(TimelineSlot &slot, uint64_t value) noexcept {
    TimelineSignal *found = nullptr;
    for (TimelineSignal *signal = slot.last_signal; signal && signal->value >= value; signal = signal->previous)
        if (signal->submitted && signal->done != 0) found = signal;
    return found;
}

FoundSignal find_signal_for(TimelineSlot &slot, uint64_t value, uint64_t stream) noexcept {
    FoundSignal found;
    if (!slot.last_signal || slot.last_signal->value < value) return found;
    if (slot.only_stream != 0 && slot.only_stream != stream) {
        found.signal = signal_of(slot, value);
        return found;
    }
    for (TimelineSignal *signal = slot.last_signal; signal && signal->value >= value; signal = signal->previous) {
        if (!signal->submitted) continue;
        found.own |= signal->stream == stream;
        if (signal->value == value && signal->done != 0) found.signal = signal;
    }
    return found;
}

// The scanner gets them under the lock: it asks about those of a live timeline in the order in which they come, and who finds one
// watched relies on it that the scanner has it.
void watch_listed_signals(TimelineSlot &slot) noexcept {
    const bool ended = has_ended(slot);
    if (!ended && (unwritten_signals(slot) == 0 || !slot.writes || GS_TIMELINE_BUG(ForgetUnwritten))) return;
    for (TimelineSignal *signal = slot.signals, *following = nullptr; signal; signal = following) {
        following = signal->next;
        if (!signal->submitted || signal->watched) continue;
        if (ended ? signal->pins != 0 : signal->written) continue;
        if (ended && (!signal->written || signal->done == 0)) {
            // One that is not written cannot set the word back. If the record of another failed, nothing reports when it happens.
            if (signal->written) slot.lost = true;
            remove_signal(slot, *signal);
            continue;
        }
        // Signals of a live timeline happen in the order of the list.
        give_to_scanner(*signal, ended ? 0 : slot.handle.load(std::memory_order_relaxed));
    }
}

} // namespace gs
