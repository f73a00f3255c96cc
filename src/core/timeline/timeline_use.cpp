// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline_use.hpp"

#include <utility>

#include "base/clock.hpp"
#include "core/completion/point.hpp"
#include "core/timeline/timeline_calls.hpp"
#include "core/timeline/timeline_slot.hpp"
#include "handle/grace.hpp"

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

namespace {

constexpr size_t kManySignals = 64;
constexpr size_t kAskEvery = 32;

// One question about a pinned signal. The slot is in use, its lock is not held.
Status ask_about(ThreadBlock &thread, TimelineSlot &slot, TimelineSignal &signal, bool *out_done) noexcept {
    Device &device = *signal.done_device;
    Status status;
    {
        const CallMark mark(thread); // a reset of the device waits for the question
        status = check_health(device);
        if (status.ok()) status = device.backend->event_query(thread, device.ordinal, signal.done, out_done);
    }
    BriefGuard lock(slot.mutex);
    --signal.pins;
    if (has_ended(slot)) {
        watch_late_signals(slot);
    } else if (*out_done) {
        raise_word(slot, signal.value);
        retire_signals(slot);
    }
    return status;
}

// Which signal a search asks about next. Signals happen in the order of their values, so the largest is asked about
// first. After that comes the uppermost of the tree among those that are left, which stands anywhere in the middle of
// them.
class SignalSearch {
public:
    TimelineSignal *next(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex) {
        const uint64_t known = current_value(slot);
        if (TimelineSignal *last = is_first_ ? slot.signals.last() : nullptr) {
            is_first_ = false;
            if (last->submitted) return last->value > known ? last : nullptr;
        }
        TimelineSignal *signal = slot.signals.top();
        while (signal) {
            const bool is_below = signal->value <= known;
            if (!is_below && signal->value < pending_ && signal->submitted) break;
            signal = is_below ? signal->right : signal->left;
        }
        return signal;
    }
    // It is pending, so those behind it are too.
    void is_pending(uint64_t value) noexcept { pending_ = value; }

private:
    bool is_first_ = true;
    uint64_t pending_ = UINT64_MAX;
};

} // namespace

Status refuse_if_captured(ThreadBlock &thread, StreamSlot &stream) noexcept {
    bool capturing = false;
    GS_TRY(is_captured(thread, stream, &capturing));
    if (capturing)
        return fail(GS_ERROR_CAPTURING,
                    "timelines and words of memory cannot be part of a graph: the stream is being captured");
    return kOk;
}

Status enter_timeline(TimelineSlot &slot, const StreamSlot &stream) noexcept {
    if (slot.device->backend != stream.backend)
        return fail(GS_ERROR_NOT_SUPPORTED, "the timeline belongs to the %s backend, the stream to %s",
                    slot.device->backend->name(), stream.backend->name());
    GS_TRY(check_semaphore_stream(slot, stream));
    GS_TRY(check_aborted(slot));
    return check_health(*slot.device);
}

Status learn_value(ThreadBlock &thread, uint64_t handle) noexcept {
    SignalSearch search;
    for (;;) {
        TimelineSlot *slot = nullptr;
        TimelineSignal *signal = nullptr;
        const Status looked = with_timeline(handle, [&](TimelineSlot &found) GS_UNANALYSED -> Status {
            GS_TRY(check_aborted(found));
            signal = search.next(found);
            if (!signal) return kOk;
            if (thread.callback_depth > 0)
                return fail(GS_ERROR_NOT_PERMITTED,
                            "the value of a timeline with GS_TIMELINE_SIGNAL_FIRST is asked for in a host function, "
                            "where the driver answers no question");
            ++signal->pins;
            ++found.inside;
            slot = &found;
            return kOk;
        });
        GS_TRY(looked);
        if (!signal) return kOk;
        TimelineUse use(*slot);
        bool done = false;
        const uint64_t value = signal->value;
        GS_TRY(ask_about(thread, *slot, *signal, &done));
        if (!done) search.is_pending(value);
    }
}

Status recycle_signals(ThreadBlock &thread, TimelineSlot &slot) noexcept {
    TimelineSignal *signal = nullptr;
    {
        BriefGuard lock(slot.mutex);
        const size_t kept = slot.signals.size();
        if (kept < kManySignals || kept % kAskEvery != 0) return kOk;
        signal = slot.signals.top();
        if (!signal->submitted) return kOk;
        ++signal->pins;
    }
    bool done = false;
    return ask_about(thread, slot, *signal, &done);
}

} // namespace gs
