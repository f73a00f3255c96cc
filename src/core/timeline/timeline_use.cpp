// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline_use.hpp"

#include "core/timeline/semaphores.hpp"
#include "core/timeline/words.hpp"
#include "handle/grace.hpp"

namespace gs {
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
    return check_aborted(slot);
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
