// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/signals.hpp"

#include <utility>

#include "base/clock.hpp"
#include "core/completion/scanner.hpp"
#include "core/timeline/timeline_table.hpp"
#include "core/timeline/words.hpp"

namespace gs {
namespace {

using SignalValue = unsigned long long;

bool has_event(const TimelineSignal &signal) noexcept { return signal.submitted && signal.done != 0; }

// The event stays the signal's, since other threads may be asking about it.
void on_late_signal(Point &point, bool) noexcept {
    auto &signal = static_cast<TimelineSignal &>(point);
    TimelineSlot &slot = *signal.timeline;
    {
        BriefGuard lock(slot.mutex);
        ++slot.inside;
        signal.watched = false;
        signal.kept = 0;
        end_word(slot);
        if (signal.pins == 0) remove_signal(slot, signal);
    }
    wake_streams(slot);
    leave_timeline(slot);
}

void give_to_scanner(TimelineSignal &signal) noexcept {
    signal.watched = true;
    signal.device = signal.done_device;
    signal.event = signal.done;
    signal.keeps = signal.retries = true; // the failure has no caller to go to, and a stream may wait for the word
    signal.lane = signal.number = 0;
    signal.added_ns = monotonic_ns();
    signal.dropped.store(false, std::memory_order_relaxed);
    signal.reached = on_late_signal;
    watch_point(signal);
}

} // namespace

void retire_signals(TimelineSlot &slot) noexcept {
    if (slot.signals.empty() || has_ended(slot)) return;
    const uint64_t now = current_value(slot);
    TimelineSignal *signal = slot.signals.first();
    while (signal && signal->value <= now) {
        TimelineSignal *following = slot.signals.after(*signal);
        if (signal->submitted && signal->pins == 0) remove_signal(slot, *signal);
        signal = following;
    }
}

// Only the next larger signal is compared with: those above it happen after it, since their streams wait for it.
Status check_signal(TimelineSlot &slot, uint64_t stream, uint64_t value, TimelineSignal **out_before) noexcept {
    *out_before = nullptr;
    const uint64_t now = current_value(slot);
    if (value <= now)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the timeline is at %llu already: %llu is not above it",
                    static_cast<SignalValue>(now), static_cast<SignalValue>(value));
    const TimelineSignal *larger = slot.signals.first_from(value);
    if (larger && larger->value == value)
        return fail(GS_ERROR_INVALID_ARGUMENT, "a signal of %llu is submitted already",
                    static_cast<SignalValue>(value));
    if (larger && larger->behind < value)
        return fail(GS_ERROR_INVALID_ARGUMENT,
                    "a signal of %llu is submitted to stream %#llx, which does not wait for %llu first: it could "
                    "happen before this one",
                    static_cast<SignalValue>(larger->value), static_cast<SignalValue>(larger->stream),
                    static_cast<SignalValue>(value));
    TimelineSignal *before = slot.signals.last_before(value);
    if (before && before->stream != stream && before->value > now) *out_before = before;
    return kOk;
}

void remove_signal(TimelineSlot &slot, TimelineSignal &signal) noexcept {
    slot.signals.erase(signal);
    keep_spare(slot, signal);
}

void keep_spare(TimelineSlot &slot, TimelineSignal &signal) noexcept {
    slot.spare_events |= signal.done != 0;
    signal.spare_next = std::exchange(slot.spare, &signal);
}

TimelineSignal *take_spare(TimelineSlot &slot) noexcept {
    TimelineSignal *signal = slot.spare;
    if (signal) slot.spare = signal->spare_next;
    return signal;
}

TimelineSignal *submitted_signal(TimelineSlot &slot, uint64_t value) noexcept {
    TimelineSignal *signal = slot.signals.first_from(value);
    while (signal && !has_event(*signal)) signal = slot.signals.after(*signal);
    return signal;
}

// As a rule the event of exactly that value: a signal between the two may still come, and the larger one may wait for what this
// stream does after it. Where each wait comes after its signal, the first one that reaches the value is what the caller means.
FoundSignal find_signal_for(TimelineSlot &slot, uint64_t value, uint64_t stream) noexcept {
    FoundSignal found;
    const TimelineSignal *last = slot.signals.last();
    if (!last || last->value < value) return found;
    found.signal = is_signal_first(slot) ? submitted_signal(slot, value) : slot.signals.find(value);
    if (found.signal && !has_event(*found.signal)) found.signal = nullptr;
    const bool first_is_own = found.signal && found.signal->stream == stream;
    found.own = first_is_own || (last->submitted && last->stream == stream);
    return found;
}

// The scanner gets them under the lock: who finds one watched relies on it that the scanner has it.
void watch_late_signals(TimelineSlot &slot) noexcept {
    TimelineSignal *signal = slot.signals.first();
    while (signal) {
        TimelineSignal *following = slot.signals.after(*signal);
        if (signal->submitted && !signal->watched && signal->pins == 0) {
            const bool late = !is_signal_first(slot);
            if (late && signal->done != 0) {
                give_to_scanner(*signal);
            } else {
                slot.lost |= late; // its record failed, so nothing reports when it happens
                remove_signal(slot, *signal);
            }
        }
        signal = following;
    }
}

} // namespace gs
