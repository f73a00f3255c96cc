// SPDX-License-Identifier: Apache-2.0
// What signals and waits of streams have in common: how they come into a timeline, and out of it.
#pragma once

#include <utility>

#include "core/completion/mark.hpp"
#include "core/timeline/signals.hpp"
#include "core/timeline/timeline_table.hpp"

namespace gs {

// Of a call that begins, with the timeline's lock held.
Status enter_other_timeline(TimelineSlot &slot, const StreamSlot &stream) noexcept;
inline Status enter_timeline(TimelineSlot &slot, const StreamSlot &stream) noexcept {
    const bool usual = slot.device->backend == stream.backend && !slot.shared && !is_semaphore(slot) &&
                       slot.aborted.load(std::memory_order_relaxed) == GS_OK;
    return usual ? kOk : enter_other_timeline(slot, stream);
}
// NOT_SUPPORTED: the device's words do not reach so far.
Status check_narrow_reach(TimelineSlot &slot, uint64_t value) noexcept;
inline Status check_reach(TimelineSlot &slot, uint64_t value) noexcept {
    return !slot.narrow ? kOk : check_narrow_reach(slot, value);
}

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
        watch_signals(slot);
        if (slot.handle.load(std::memory_order_relaxed) == 0) return;
        --slot.inside;
        slot_ = nullptr;
    }

private:
    TimelineSlot *slot_;
};

} // namespace gs
