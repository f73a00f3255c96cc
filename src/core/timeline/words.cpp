// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline_use.hpp"

#include <new>

#include "base/lock.hpp"
#include "core/event/event_calls.hpp"
#include "core/stream/stream_calls.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

void give_user(WordUser &user) noexcept {
    give_native_event(*user.device, 0, user.event);
    delete &user;
}

Status make_user(StreamSlot &stream, uint64_t key, WordUser **out) noexcept {
    auto *made = new (std::nothrow) WordUser;
    if (!made) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a stream that waits for a timeline");
    made->stream = key;
    made->device = stream.device;
    if (const Status status = take_native_event(*stream.device, 0, &made->event); !status.ok()) {
        delete made;
        return status;
    }
    *out = made;
    return kOk;
}

} // namespace

bool raise_word(TimelineSlot &slot, uint64_t value) noexcept {
    uint64_t seen = current_value(slot);
    do {
        if (seen >= value) return false;
    } while (!__atomic_compare_exchange_n(slot.word.host, &seen, value, false, __ATOMIC_SEQ_CST, __ATOMIC_ACQUIRE));
    return true;
}

void end_word(TimelineSlot &slot) noexcept { __atomic_store_n(slot.word.host, kTimelineEnd, __ATOMIC_SEQ_CST); }

void wake_streams(TimelineSlot &slot) noexcept { slot.device->backend->value_written(slot.word.address); }

void wake_threads(TimelineSlot &slot) noexcept {
    for (TimelineWaiter *waiter = slot.waiters; waiter; waiter = waiter->next) {
        waiter->signal->fetch_add(1, std::memory_order_acq_rel);
        futex_wake(*waiter->signal, 1);
    }
}

Status wait_for_word(ThreadBlock &thread, StreamSlot &stream, uint64_t key, TimelineSlot &slot, uint64_t value,
                     bool *out_waits) noexcept {
    *out_waits = false;
    WordUser *user = nullptr;
    GS_TRY(user_of_word(slot, stream, key, &user));
    const Status status = stream.backend->wait_value(thread, stream.ref(), slot.word.address, value, GS_VALUE_GEQ);
    *out_waits = status.ok();
    return mark_use(thread, stream, slot, *user, status);
}

// What is submitted must be known. Entries stay for the timeline's life.
Status user_of_word(TimelineSlot &slot, StreamSlot &stream, uint64_t key, WordUser **out) noexcept {
    {
        BriefGuard lock(slot.mutex);
        *out = slot.users_of_word.find(key);
    }
    if (*out) return kOk;
    WordUser *made = nullptr;
    GS_TRY(make_user(stream, key, &made));
    {
        BriefGuard lock(slot.mutex);
        *out = slot.users_of_word.find(key); // another thread may have added one as well
        if (!*out) slot.users_of_word.insert(*made);
    }
    if (*out)
        give_user(*made);
    else
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

bool all_have_passed(ThreadBlock &thread, TimelineSlot &slot) noexcept {
    while (WordUser *user = slot.users_of_word.top()) {
        if (user->unmarked) return false;
        bool done = false;
        const CallMark mark(thread); // a reset of the device waits for the question
        const Status status = user->device->backend->event_query(thread, user->device->ordinal, user->event, &done);
        if (!status.ok() || !done) return false;
        slot.users_of_word.erase(*user);
        give_user(*user);
    }
    return true;
}

void mark_by_devices(ThreadBlock &thread, TimelineSlot &slot) noexcept {
    for (WordUser *user = slot.users_of_word.first(); user; user = slot.users_of_word.after(*user)) {
        if (!user->unmarked) continue;
        Device &device = *user->device;
        if (!refuse_if_any_captures(thread, device).ok()) continue;
        user->unmarked = !device.backend->device_record(thread, device.ordinal, user->event).ok();
    }
}

void forget_users(TimelineSlot &slot) noexcept {
    while (WordUser *user = slot.users_of_word.top()) {
        slot.users_of_word.erase(*user);
        give_user(*user);
    }
}

} // namespace gs
