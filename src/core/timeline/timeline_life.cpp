// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline_life.hpp"

#include "base/status.hpp"
#include "core/births.hpp"
#include "core/timeline/shared_timeline.hpp"
#include "core/timeline/signals.hpp"
#include "core/timeline/timeline_table.hpp"

namespace gs {
namespace {

// The end of a timeline in two parts: what is done under its lock, and what calls backends.
class TimelineEnd {
public:
    void begin(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex) {
        // The last reference of one process does not end what others go on with.
        if (!slot.shared || aborted_status(slot) != GS_OK) end_word(slot);
        ++slot.inside;
        watch_signals(slot);
        wake_threads(slot);
        slot_ = &slot;
    }
    Status finish() const noexcept {
        if (!slot_) return kOk;
        wake_streams(*slot_);
        leave_timeline(*slot_);
        return kOk;
    }

private:
    TimelineSlot *slot_ = nullptr;
};

bool is_failure(gs_status_t status) noexcept {
    return is_status(status) && status != GS_OK && status != GS_NOT_READY && status != GS_ERROR_TIMEOUT;
}

} // namespace

Status create_timeline(Device &device, uint64_t initial, uint64_t *out_handle) noexcept {
    GS_TRY(check_health(device));
    TimelineSlot *slot = nullptr;
    GS_TRY(take_timeline_slot(device, &slot));
    BriefGuard lock(slot->mutex);
    __atomic_store_n(slot->word.host, slot->narrow ? initial & UINT32_MAX : initial, __ATOMIC_RELEASE);
    *out_handle = begin_timeline(*slot, initial);
    return kOk;
}

uint64_t begin_timeline(TimelineSlot &slot, uint64_t value) noexcept {
    slot.last.store(value, std::memory_order_relaxed);
    slot.aborted.store(GS_OK, std::memory_order_relaxed);
    slot.first = value;
    slot.highest_wait = 0;
    // Other processes see the word only, and what it says of words of 32 bits depends on how far it is.
    slot.writes = slot.narrow || slot.shared;
    slot.accepted = slot.asked = 0;
    slot.ask_at = kFirstAskAt;
    slot.users.store(1, std::memory_order_relaxed);
    const uint64_t handle = next_timeline(slot);
    slot.handle.store(handle, std::memory_order_seq_cst);
    note_birth(slot, handle);
    return handle;
}

Status retain_timeline(uint64_t handle) noexcept {
    return with_timeline(handle, [](TimelineSlot &slot) -> Status {
        slot.users.fetch_add(1, std::memory_order_relaxed);
        return kOk;
    });
}

Status release_timeline(uint64_t handle) noexcept {
    TimelineEnd end;
    GS_TRY(with_timeline(handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        if (slot.users.fetch_sub(1, std::memory_order_relaxed) > 1) return kOk;
        retire_signals(slot);
        slot.handle.store(0, std::memory_order_seq_cst);
        end.begin(slot);
        return kOk;
    }));
    return end.finish();
}

Status abort_timeline(uint64_t handle, gs_status_t status) noexcept {
    TimelineEnd end;
    GS_TRY(with_timeline(handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        if (!is_failure(status))
            return fail(GS_ERROR_INVALID_ARGUMENT, "%d is not a status that calls can fail with", status);
        if (slot.aborted.load(std::memory_order_relaxed) != GS_OK) return kOk;
        retire_signals(slot);
        if (slot.shared) abort_shared(*slot.shared->memory, status);
        // Of an interprocess timeline another process may have been first.
        slot.aborted.store(slot.shared ? shared_status(*slot.shared->memory) : status, std::memory_order_release);
        end.begin(slot);
        return kOk;
    }));
    return end.finish();
}

} // namespace gs
