// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline_calls.hpp"

#include "core/timeline/timeline_slot.hpp"
#include "core/timeline/timeline_use.hpp"

namespace gs {
namespace {

uintptr_t semaphore_of(const TimelineSlot &slot) noexcept { return slot.semaphore.load(std::memory_order_relaxed); }

// The value that the signal has to wait for: that of the last one, unless its stream made that one too.
Status order_semaphore_signal(TimelineSlot &slot, uint64_t key, uint64_t value, uint64_t *out_before) noexcept {
    BriefGuard lock(slot.mutex);
    if (value <= slot.signalled)
        return fail(GS_ERROR_INVALID_ARGUMENT, "a signal of %llu is submitted already: %llu is not above it",
                    static_cast<unsigned long long>(slot.signalled), static_cast<unsigned long long>(value));
    *out_before = slot.signaller == key ? 0 : slot.signalled;
    return kOk;
}

Status submit_semaphore_signal(ThreadBlock &thread, StreamSlot &stream, TimelineSlot &slot, uint64_t before,
                               uint64_t value) noexcept {
    if (before != 0) GS_TRY(stream.backend->wait_semaphore(thread, stream.ref(), semaphore_of(slot), before));
    return stream.backend->signal_semaphore(thread, stream.ref(), semaphore_of(slot), value);
}

} // namespace

Status import_timeline(Device &device, int32_t type, int fd, uint64_t *out_handle) noexcept {
    GS_TRY(check_health(device));
    TimelineSlot *slot = nullptr;
    GS_TRY(take_timeline_slot(device, &slot));
    uintptr_t semaphore = 0;
    if (const Status status = device.backend->import_semaphore(device.ordinal, type, fd, &semaphore); !status.ok()) {
        give_timeline_slot(*slot);
        return status;
    }
    BriefGuard lock(slot->mutex);
    slot->semaphore.store(semaphore, std::memory_order_relaxed);
    slot->signalled = slot->signaller = 0;
    slot->signal_first.store(false, std::memory_order_relaxed);
    *out_handle = begin_timeline(*slot, 0);
    return kOk;
}

Status check_host_side(const TimelineSlot &slot) noexcept {
    if (!is_semaphore(slot)) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED,
                "the timeline is a semaphore of another API, which the driver lets only streams signal and wait for");
}

Status check_semaphore_stream(const TimelineSlot &slot, const StreamSlot &stream) noexcept {
    if (!is_semaphore(slot) || slot.device == stream.device) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED, "the semaphore was imported for device %d, the stream belongs to device %d",
                slot.device->ordinal, stream.device->ordinal);
}

Status signal_semaphore(ThreadBlock &thread, StreamSlot &stream, uint64_t key, TimelineSlot &slot,
                        uint64_t value) noexcept {
    WordUser *user = nullptr;
    GS_TRY(user_of_word(slot, stream, key, &user));
    // Held over calls of the backend, so that the signals come to the driver in the order of their values.
    MutexLock turn(slot.turn);
    uint64_t before = 0;
    GS_TRY(order_semaphore_signal(slot, key, value, &before));
    mark_used(stream);
    const Status status = submit_semaphore_signal(thread, stream, slot, before, value);
    if (status.ok()) {
        // Whether or not the mark succeeds, the signal is submitted.
        BriefGuard lock(slot.mutex);
        slot.signalled = value;
        slot.signaller = key;
    }
    return mark_use(thread, stream, slot, *user, status);
}

Status wait_semaphore(ThreadBlock &thread, StreamSlot &stream, uint64_t key, TimelineSlot &slot,
                      uint64_t value) noexcept {
    {
        BriefGuard lock(slot.mutex);
        if (slot.signaller == key && value <= slot.signalled) return kOk; // the stream has the order already
    }
    WordUser *user = nullptr;
    GS_TRY(user_of_word(slot, stream, key, &user));
    mark_used(stream);
    note_last_wait(stream, slot.handle.load(std::memory_order_relaxed), value);
    const Status status = stream.backend->wait_semaphore(thread, stream.ref(), semaphore_of(slot), value);
    return mark_use(thread, stream, slot, *user, status);
}

} // namespace gs
