// SPDX-License-Identifier: Apache-2.0
#include "core/event/event_cache.hpp"
#include "core/event/event_calls.hpp"
#include "core/event/event_hot.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/lookup.hpp"
#include "core/names.hpp"
#include "core/runtime.hpp"
#include "core/thread/current_stream.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

constexpr uintptr_t kFirstPointer = 4096;
constexpr uintptr_t kEndOfUserSpace = uintptr_t{1} << 47;
constexpr uintptr_t kPointerAlignment = 8;

// The driver event of a foreign event.
struct ForeignEvent {
    Device *device;
    uintptr_t native;
};

Mutex g_owner_mutex; // of changes of kEventBorrowed and kEventReleased, and of `release`, while an event has references

// The only place that fills a slot. `uid` says what is known of its record.
[[gnu::always_inline]] inline void bind_slot(EventSlot &slot, uint32_t flags, uint32_t traits, uint32_t uid) noexcept {
    slot.flags = flags;
    slot.traits.store(traits, std::memory_order_relaxed);
    // The slot's next ticket, so that no word of an earlier event of the slot comes back.
    const uint64_t ticket = word_ticket(slot.word.load(std::memory_order_relaxed)) + 1;
    slot.word.store(record_word(uid, ticket), std::memory_order_relaxed);
    slot.complete.store(kTicketMask, std::memory_order_relaxed);
    slot.captured.store(0, std::memory_order_relaxed);
}

[[gnu::always_inline]] inline void publish_event(ThreadBlock &thread, EventSlot &slot, uint64_t *out_handle) noexcept {
    const uint64_t handle = event_slots().next_handle(slot, 0);
    set_state(slot, EventState::Alive);
    slot.owner.store(thread.id, std::memory_order_relaxed);
    slot.users.store(1, std::memory_order_release); // see share_counted_slot
    slot.handle.store(handle, std::memory_order_release);
    note_birth(slot, handle);
    thread.counters.events_created.add();
    *out_handle = handle;
}

[[gnu::always_inline]] inline Status take_slot(ThreadBlock &thread, uint32_t flags, EventSlot **out) noexcept {
    CoreThread *core = core_thread(thread);
    *out = core ? take_event_slot(thread, core->events, flags) : nullptr;
    while (*out && used_up(**out)) {
        drop_event_slot(**out);
        *out = take_event_slot(thread, core->events, flags);
    }
    return *out ? kOk : no_slot(Kind::Event);
}

// An event that the driver has already.
void publish_foreign(ThreadBlock &thread, EventSlot &slot, const ForeignEvent &foreign, uint32_t flags, uint32_t traits,
                     uint64_t *out_handle) noexcept {
    bind_slot(slot, flags, traits | kEventForeign | kEventNoPool, kUnknownStream);
    slot.native.store(foreign.native, std::memory_order_relaxed);
    slot.native_device = foreign.device;
    slot.device.store(foreign.device, std::memory_order_relaxed);
    publish_event(thread, slot, out_handle);
}

Status destroyed_event(uint64_t handle) noexcept {
    return fail(GS_ERROR_INVALID_HANDLE, "event %s was destroyed", describe_object(handle).text);
}

// A borrowed event that is wrapped gets an owner.
Status take_over(EventSlot &slot, ReleaseFunction release) noexcept {
    MutexLock lock(g_owner_mutex);
    const uint32_t traits = slot.traits.load(std::memory_order_relaxed);
    if (traits & kEventReleased)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the event is owned already, by a wrap with a release function");
    if ((traits & kEventBorrowed) == 0)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the event is gpustream's own: it needs no release function");
    slot.release = release;
    slot.traits.fetch_or(kEventReleased, std::memory_order_seq_cst);
    slot.traits.fetch_and(~uint32_t{kEventBorrowed}, std::memory_order_seq_cst);
    return kOk;
}

// *out_handle stays 0 if the driver's event is not known, or if its wrap ended during the call.
Status wrap_known(ThreadBlock &thread, const ForeignEvent &foreign, ReleaseFunction release,
                  uint64_t *out_handle) noexcept {
    const uint64_t known = find_known_event(*foreign.device->backend, foreign.native);
    if (known == 0) return kOk;
    Status taken = kOk;
    {
        CallMark mark(thread);
        EventSlot *slot = find_event(thread, known);
        if (!slot) return kOk;
        const Device &actual = *slot->device.load(std::memory_order_acquire);
        if (&actual != foreign.device)
            return fail(GS_ERROR_DEVICE_MISMATCH, "the event belongs to %s device %d, not to device %d",
                        actual.backend->name(), actual.ordinal, foreign.device->ordinal);
        if (Status retained = retain_event(thread, known); !retained.ok()) {
            // The driver event of a foreign one lives on; our own is about to be destroyed.
            const uint32_t others = kEventBorrowed | kEventReleased;
            return slot->traits.load(std::memory_order_relaxed) & others ? kOk : retained;
        }
        if (release) taken = take_over(*slot, release);
    }
    if (taken.ok())
        *out_handle = known;
    else
        release_event(thread, known).ignore(); // retained above: cannot be missing
    return taken;
}

// A wrap of an event that the driver knows. *out_handle stays 0 if another thread has wrapped it in the meantime.
Status adopt(ThreadBlock &thread, const ForeignEvent &foreign, ReleaseFunction release, uint64_t *out_handle) noexcept {
    EventSlot *slot = nullptr;
    GS_TRY(take_slot(thread, GS_EVENT_INTERPROCESS, &slot));
    slot->release = {};
    // Only the driver knows whether it is timed, and answers when it is asked for the time.
    uint64_t handle = 0;
    publish_foreign(thread, *slot, foreign, GS_EVENT_TIMING, kEventBorrowed | kEventShared, &handle);
    bool first = false;
    Status entered = enter_event(*slot, handle, &first);
    if (entered.ok() && first && release) entered = take_over(*slot, release);
    if (entered.ok() && first) {
        *out_handle = handle;
        return kOk;
    }
    release_event(thread, handle).ignore(); // no other thread knows it
    return entered;
}

} // namespace

Status create_event(ThreadBlock &thread, uint32_t flags, uint64_t *out_handle) noexcept {
    EventSlot *slot = nullptr;
    GS_TRY(take_slot(thread, flags, &slot));
    uint32_t traits = 0;
    if (flags & GS_EVENT_EXTERNAL) traits |= kEventForeign;
    if (flags & GS_EVENT_INTERPROCESS) traits |= kEventForeign | kEventNoPool;
    bind_slot(*slot, flags, traits, kNeverRecorded);
    publish_event(thread, *slot, out_handle);
    return kOk;
}

Status wrap_event(ThreadBlock &thread, Device &device, uintptr_t native, ReleaseFunction release,
                  uint64_t *out_handle) noexcept {
    if (native < kFirstPointer || native >= kEndOfUserSpace || native % kPointerAlignment != 0)
        return fail(GS_ERROR_INVALID_HANDLE, "%#zx cannot be a driver's event: those have aligned user-space addresses",
                    static_cast<size_t>(native));
    for (;;) {
        uint64_t handle = 0;
        GS_TRY(wrap_known(thread, {&device, native}, release, &handle));
        if (handle == 0) {
            GS_TRY(check_health(device));
            GS_TRY(device.backend->event_adopt(device.ordinal, native));
            GS_TRY(adopt(thread, {&device, native}, release, &handle));
            if (handle == 0) continue; // another thread was first
        }
        *out_handle = handle;
        return kOk;
    }
}

Status unwrap_event(ThreadBlock &thread, uint64_t handle, uintptr_t *out_native) noexcept {
    uintptr_t native = 0;
    {
        CallMark mark(thread);
        EventSlot *slot = nullptr;
        GS_TRY(required_event(thread, handle, &slot));
        if (!slot->device.load(std::memory_order_acquire)) {
            Device *device = nullptr;
            GS_TRY(ensure_initialized());
            GS_TRY(current_device(thread, &device));
            GS_TRY(check_health(*device));
            GS_TRY(bind_event(*slot, *device));
        }
        GS_TRY(export_native(*slot, &native));
        MutexLock lock(g_owner_mutex);
        if (callers_of(slot->users.load(std::memory_order_relaxed)) == 0) return destroyed_event(handle);
        if (slot->traits.load(std::memory_order_relaxed) & kEventBorrowed)
            return fail(GS_ERROR_INVALID_ARGUMENT, "the event %#zx is borrowed: its owner destroys it",
                        static_cast<size_t>(native));
        slot->traits.fetch_or(kEventBorrowed, std::memory_order_seq_cst);
        slot->traits.fetch_and(~uint32_t{kEventReleased}, std::memory_order_seq_cst);
    }
    GS_TRY(release_event(thread, handle));
    *out_native = native;
    return kOk;
}

Status open_event(ThreadBlock &thread, Device &device, const gs_ipc_handle_t &handle, uint64_t *out_handle) noexcept {
    GS_TRY(check_health(device));
    EventSlot *slot = nullptr;
    GS_TRY(take_slot(thread, GS_EVENT_INTERPROCESS, &slot));
    uintptr_t native = 0;
    const Status status = device.backend->event_ipc_open(device.ordinal, handle, &native);
    if (!status.ok()) {
        thread.core->events.free[kBareClass].push(*slot);
        return status;
    }
    publish_foreign(thread, *slot, {&device, native}, GS_EVENT_INTERPROCESS, kEventOpened, out_handle);
    return kOk;
}

namespace {

Status retain(ThreadBlock &thread, uint64_t handle, uint64_t reference) noexcept {
    CallMark mark(thread);
    EventSlot *slot = nullptr;
    GS_TRY(required_event(thread, handle, &slot));
    return add_user(*slot, reference) ? kOk : destroyed_event(handle);
}

[[gnu::always_inline]] inline Status release(ThreadBlock &thread, uint64_t handle, uint64_t reference) noexcept {
    CoreThread *core = core_thread(thread);
    if (!core) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's state");
    EventSlot *slot = nullptr;
    {
        CallMark mark(thread);
        GS_TRY(required_event(thread, handle, &slot));
        const uint64_t users = drop_user(*slot, reference);
        if (users == 0) return destroyed_event(handle);
        if (users != reference) return kOk;
        slot->handle.store(0, std::memory_order_release); // `users` went to 0 before, sequentially consistent
    }
    const bool sole = slot->owner.load(std::memory_order_seq_cst) == thread.id;
    give_event_slot(thread, core->events, *slot, sole && !is_inside_call(thread));
    return kOk;
}

} // namespace

Status retain_event(ThreadBlock &thread, uint64_t handle) noexcept { return retain(thread, handle, kCaller); }
Status release_event(ThreadBlock &thread, uint64_t handle) noexcept { return release(thread, handle, kCaller); }
Status retain_for_graph(ThreadBlock &thread, uint64_t handle) noexcept { return retain(thread, handle, kHolder); }
Status release_for_graph(ThreadBlock &thread, uint64_t handle) noexcept { return release(thread, handle, kHolder); }

} // namespace gs
