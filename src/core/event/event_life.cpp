// SPDX-License-Identifier: Apache-2.0
// The life of an event; what it does is in event_ops.cpp.
#include "core/event/event_life.hpp"

#include "base/testing.hpp"
#include "core/thread/current_stream.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

Status publish_event(ThreadBlock &thread, EventSlot &slot, uint32_t flags, uint32_t traits, uint64_t first_word,
                     uint64_t *out_handle) noexcept {
    const uint64_t handle = event_slots().next_handle(slot, 0);
    if (handle == 0)
        return fail(GS_ERROR_OUT_OF_MEMORY, "the slot of the event has used up its generations; try again");
    slot.flags = flags;
    slot.traits.store(traits, std::memory_order_relaxed);
    slot.word.store(first_word, std::memory_order_relaxed);
    slot.complete.store(kTicketMask, std::memory_order_relaxed);
    slot.owner.store(thread.id, std::memory_order_relaxed);
    slot.users.store(1, std::memory_order_release); // see share_counted_slot
    slot.handle.store(handle, std::memory_order_release);
    thread.counters.events_created.add();
    *out_handle = handle;
    return kOk;
}

Status take_slot(ThreadBlock &thread, uint32_t flags, EventSlot **out) noexcept {
    CoreThread *core = core_thread(thread);
    *out = core ? take_event_slot(thread, core->events, flags) : nullptr;
    return *out ? kOk : fail(GS_ERROR_OUT_OF_MEMORY, "no memory for another event");
}

// The slot's next ticket, so that no word of an earlier event of the slot ever comes back.
uint64_t next_word(const EventSlot &slot, uint32_t uid) noexcept {
    return record_word(uid, word_ticket(slot.word.load(std::memory_order_relaxed)) + 1);
}

// An event that exists on the driver's side already.
Status publish_foreign(ThreadBlock &thread, Device &device, uintptr_t native, uint32_t flags, uint32_t traits,
                       EventSlot &slot, uint64_t *out_handle) noexcept {
    slot.native.store(native, std::memory_order_relaxed);
    slot.native_device = &device;
    slot.device.store(&device, std::memory_order_relaxed);
    return publish_event(thread, slot, flags, traits | kEventForeign | kEventNoPool, next_word(slot, kUnknownStream),
                         out_handle);
}

} // namespace

Status create_event(ThreadBlock &thread, uint32_t flags, uint64_t *out_handle) noexcept {
    EventSlot *slot = nullptr;
    GS_TRY(take_slot(thread, flags, &slot));
    uint32_t traits = 0;
    if (flags & GS_EVENT_EXTERNAL) traits |= kEventForeign;
    if (flags & GS_EVENT_INTERPROCESS) traits |= kEventForeign | kEventNoPool;
    return publish_event(thread, *slot, flags, traits, next_word(*slot, kNeverRecorded), out_handle);
}

Status no_such_event(uint64_t handle) noexcept {
    return fail(GS_ERROR_INVALID_HANDLE, "event %#llx is not a live event", static_cast<unsigned long long>(handle));
}

Status retain_event(ThreadBlock &thread, uint64_t handle) noexcept {
    CallMark mark(thread);
    EventSlot *slot = nullptr;
    GS_TRY(required_event(thread, handle, &slot));
    uint32_t users = slot->users.load(std::memory_order_relaxed);
    while (users != 0)
        if (slot->users.compare_exchange_weak(users, users + 1, std::memory_order_seq_cst)) return kOk;
    return fail(GS_ERROR_INVALID_HANDLE, "event %#llx was destroyed", static_cast<unsigned long long>(handle));
}

Status release_event(ThreadBlock &thread, uint64_t handle) noexcept {
    CoreThread *core = core_thread(thread);
    if (!core) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's state");
    EventSlot *slot = nullptr;
    {
        CallMark mark(thread);
        GS_TRY(required_event(thread, handle, &slot));
        uint32_t users = slot->users.load(std::memory_order_relaxed);
        do {
            if (users == 0)
                return fail(GS_ERROR_INVALID_HANDLE, "event %#llx was destroyed",
                            static_cast<unsigned long long>(handle));
        } while (!slot->users.compare_exchange_weak(users, users - 1, std::memory_order_seq_cst));
        if (users > 1) return kOk;
        slot->handle.store(0, std::memory_order_release); // `users` went to 0 before, sequentially consistent
    }
    const bool sole = slot->owner.load(std::memory_order_seq_cst) == thread.id || GS_BUG(ReuseWithoutGrace);
    give_event_slot(thread, core->events, *slot, sole);
    return kOk;
}

Status wrap_event(ThreadBlock &thread, Device &device, uintptr_t native, uint64_t *out_handle) noexcept {
    constexpr uintptr_t kFirstPointer = 4096;
    if (native < kFirstPointer || native >= uintptr_t{1} << 47 || native % 8 != 0)
        return fail(GS_ERROR_INVALID_HANDLE, "%#zx can be no driver's event: it is no aligned user-space address",
                    static_cast<size_t>(native));
    GS_TRY(check_health(device));
    GS_TRY(device.backend->event_adopt(device.ordinal, native));
    EventSlot *slot = nullptr;
    GS_TRY(take_slot(thread, GS_EVENT_INTERPROCESS, &slot));
    // Whether it is timed only the driver knows: it answers when asked for the time.
    return publish_foreign(thread, device, native, GS_EVENT_TIMING, kEventBorrowed, *slot, out_handle);
}

Status open_event(ThreadBlock &thread, Device &device, const gs_ipc_handle_t &handle, uint64_t *out_handle) noexcept {
    GS_TRY(check_health(device));
    EventSlot *slot = nullptr;
    GS_TRY(take_slot(thread, GS_EVENT_INTERPROCESS, &slot));
    uintptr_t native = 0;
    const Status status = device.backend->event_ipc_open(device.ordinal, handle, &native);
    if (!status.ok()) {
        give_event_slot(thread, thread.core->events, *slot, true);
        return status;
    }
    return publish_foreign(thread, device, native, GS_EVENT_INTERPROCESS, kEventOpened, *slot, out_handle);
}

} // namespace gs
