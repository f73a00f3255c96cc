// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/word_users.hpp"

#include <new>

#include "core/event/driver_events.hpp"
#include "core/stream/stream_sync.hpp"

namespace gs {
namespace {

WordUser *find_user(TimelineSlot &slot, uint64_t key) noexcept GS_REQUIRES(slot.mutex) {
    WordUser *user = slot.users_of_word;
    while (user && user->stream != key) user = user->next;
    return user;
}

} // namespace

// What is submitted must be known. Entries stay for the timeline's life.
Status user_of_word(TimelineSlot &slot, StreamSlot &stream, uint64_t key, WordUser **out) noexcept {
    {
        BriefGuard lock(slot.mutex);
        *out = find_user(slot, key);
    }
    if (*out) return kOk;
    auto *made = new (std::nothrow) WordUser;
    if (!made) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a stream that waits for a timeline");
    made->stream = key;
    made->device = stream.device;
    if (const Status status = take_native_event(*stream.device, 0, &made->event); !status.ok()) {
        delete made;
        return status;
    }
    BriefGuard lock(slot.mutex);
    made->next = slot.users_of_word; // another thread may have added one as well: both are asked
    slot.users_of_word = made;
    *out = made;
    return kOk;
}

// It may wait although the driver reports a failure, so its end is marked all the same. A record that fails is reported, and
// tried once more: without one it is not known when the stream is past the word. A later record of the stream does not mend
// that: another thread may have made it before this wait.
Status mark_use(ThreadBlock &thread, StreamSlot &stream, TimelineSlot &slot, WordUser &user, Status status) noexcept {
    const Status marked = stream.backend->event_record(thread, user.event, stream.ref(), false);
    if (marked.ok()) return status;
    if (!stream.backend->event_record(thread, user.event, stream.ref(), false).ok()) {
        BriefGuard lock(slot.mutex);
        user.unmarked = true;
    }
    return status.ok() ? marked : status;
}

void mark_by_devices(ThreadBlock &thread, TimelineSlot &slot) noexcept {
    for (WordUser *user = slot.users_of_word; user; user = user->next) {
        if (!user->unmarked) continue;
        Device &device = *user->device;
        if (!refuse_if_any_captures(thread, device).ok()) continue;
        user->unmarked = !device.backend->device_record(thread, device.ordinal, user->event).ok();
    }
}

uint64_t word_value(const TimelineSlot &slot, uint64_t value) noexcept {
    return slot.narrow ? value & UINT32_MAX : value;
}

uint32_t word_flags(const TimelineSlot &slot) noexcept { return slot.narrow ? uint32_t{GS_VALUE_32} : 0; }

Status wait_for_word(ThreadBlock &thread, StreamSlot &stream, uint64_t key, TimelineSlot &slot, uint64_t value,
                     bool *out_waits) noexcept {
    *out_waits = false;
    WordUser *user = nullptr;
    GS_TRY(user_of_word(slot, stream, key, &user));
    const Status status = stream.backend->wait_value(thread, stream.ref(), slot.word.address, word_value(slot, value),
                                                     GS_VALUE_GEQ | word_flags(slot));
    *out_waits = status.ok();
    return mark_use(thread, stream, slot, *user, status);
}

} // namespace gs
