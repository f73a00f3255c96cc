// SPDX-License-Identifier: Apache-2.0
// How timelines begin and end.
#include <cinttypes>

#include "base/log.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/timeline/timeline_calls.hpp"
#include "core/timeline/timeline_slot.hpp"
#include "core/timeline/timeline_use.hpp"

namespace gs {
namespace {

// The end of a timeline in two parts: what is done under its lock, and what calls backends.
class TimelineEnd {
public:
    void begin(TimelineSlot &slot) noexcept GS_REQUIRES(slot.mutex) {
        end_word(slot);
        ++slot.inside;
        watch_late_signals(slot);
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

// Streams wait for values to come by words of 64 bits.
Status check_wide_values(Device &device) noexcept {
    bool wide = false;
    GS_TRY(device.backend->has_wide_values(device.ordinal, &wide));
    if (wide) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED,
                "%s device %d lacks stream memory operations of 64 bits, so its streams wait only for signals "
                "that are submitted: GS_TIMELINE_SIGNAL_FIRST",
                device.backend->name(), device.ordinal);
}

bool is_failure(gs_status_t status) noexcept {
    return is_status(status) && status != GS_OK && status != GS_NOT_READY && status != GS_ERROR_TIMEOUT;
}

} // namespace

Status create_timeline(Device &device, uint64_t initial, bool signal_first, uint64_t *out_handle) noexcept {
    GS_TRY(check_health(device));
    TimelineSlot *slot = nullptr;
    GS_TRY(take_timeline_slot(device, &slot));
    if (const Status status = signal_first ? kOk : check_wide_values(device); !status.ok()) {
        give_timeline_slot(*slot);
        return status;
    }
    BriefGuard lock(slot->mutex);
    slot->signal_first.store(signal_first, std::memory_order_relaxed);
    *out_handle = begin_timeline(*slot, initial);
    return kOk;
}

uint64_t begin_timeline(TimelineSlot &slot, uint64_t value) noexcept {
    __atomic_store_n(slot.word.host, value, __ATOMIC_RELEASE);
    slot.aborted.store(GS_OK, std::memory_order_relaxed);
    slot.first = value;
    slot.highest_wait = 0;
    slot.users.store(1, std::memory_order_relaxed);
    const uint64_t handle = g_timelines.next_handle(slot, static_cast<uint32_t>(slot.device->kind));
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
    uint64_t value = 0;
    uint64_t awaited = 0;
    GS_TRY(with_timeline(handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        if (slot.users.fetch_sub(1, std::memory_order_relaxed) > 1) return kOk;
        retire_signals(slot);
        value = current_value(slot);
        awaited = slot.highest_wait;
        slot.handle.store(0, std::memory_order_seq_cst);
        end.begin(slot);
        return kOk;
    }));
    GS_TRY(end.finish());
    // Not under the lock: the program's function for messages may call the library.
    if (awaited > value)
        log_message(GS_LOG_WARNING,
                    "timeline %#" PRIx64 " was destroyed at %" PRIu64 " while a stream waited for %" PRIu64
                    ", and now goes on without that; gs_timeline_abort() says that this is meant",
                    handle, value, awaited);
    return kOk;
}

Status abort_timeline(uint64_t handle, gs_status_t status) noexcept {
    TimelineEnd end;
    GS_TRY(with_timeline(handle, [&](TimelineSlot &slot) GS_UNANALYSED -> Status {
        if (!is_failure(status))
            return fail(GS_ERROR_INVALID_ARGUMENT, "%d is not a status that calls can fail with", status);
        if (slot.aborted.load(std::memory_order_relaxed) != GS_OK) return kOk;
        retire_signals(slot);
        slot.aborted.store(status, std::memory_order_release);
        end.begin(slot);
        return kOk;
    }));
    return end.finish();
}

} // namespace gs
