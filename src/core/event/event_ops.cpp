// SPDX-License-Identifier: Apache-2.0
#include "core/event/event_hot.hpp"
#include "core/event/spare_events.hpp"
#include "core/runtime.hpp"
#include "core/stream/stream_create.hpp"
#include "core/sync_debug.hpp"
#include "handle/grace.hpp"
#include "handle/pin.hpp"

namespace gs {
namespace {

Mutex g_bind_mutex; // the first record, export of an event: once per event

Status device_mismatch(const Device &event, const Device &stream) noexcept {
    if (event.backend != stream.backend)
        return fail(GS_ERROR_NOT_SUPPORTED, "an event of the %s backend cannot be recorded on a %s stream",
                    event.backend->name(), stream.backend->name());
    return fail(GS_ERROR_DEVICE_MISMATCH, "Event device %s:%d does not match recording stream's device %s:%d.",
                event.backend->name(), event.ordinal, stream.backend->name(), stream.ordinal);
}

// The slot may still carry the driver event of its last owner, from another device.
Status give_native(EventSlot &event, Device &device) noexcept {
    const uint32_t flags = event.flags;
    uintptr_t native = event.native.load(std::memory_order_relaxed);
    if (native != 0 && event.native_device != &device) {
        give_native_event(*event.native_device, flags, native);
        event.native.store(0, std::memory_order_relaxed);
        native = 0;
    }
    if (native != 0) return kOk;
    if (flags & GS_EVENT_INTERPROCESS)
        GS_TRY(device.backend->event_create(device.ordinal, flags, &native));
    else
        GS_TRY(take_native_event(device, flags, &native));
    this_thread()->counters.event_pool_misses.add();
    event.native_device = &device;
    event.native.store(native, std::memory_order_relaxed);
    return kOk;
}

} // namespace

Status bind_event(EventSlot &event, Device &device) noexcept {
    MutexLock lock(g_bind_mutex);
    if (const Device *bound = event.device.load(std::memory_order_relaxed))
        return bound == &device ? kOk : device_mismatch(*bound, device);
    GS_TRY(give_native(event, device));
    event.device.store(&device, std::memory_order_release);
    return kOk;
}

Status as_external(ThreadBlock &thread, const StreamSlot &stream, bool *out) noexcept {
    *out = false;
    return stream.backend->stream_is_capturing(thread, stream.ref(), out);
}

Status refuse_other_backend(const EventSlot &event, const StreamSlot &stream) noexcept {
    return fail(GS_ERROR_NOT_SUPPORTED, "a %s stream cannot wait for an event of the %s backend",
                stream.backend->name(), event.device.load(std::memory_order_relaxed)->backend->name());
}

Status wait_in_driver(ThreadBlock &thread, StreamSlot &stream, EventSlot &event) noexcept {
    bool external = false;
    if (__builtin_expect(event.flags & GS_EVENT_EXTERNAL, 0)) GS_TRY(as_external(thread, stream, &external));
    mark_used(stream);
    GS_YIELD(AfterCheck);
    return stream.backend->stream_wait_event(thread, stream.ref(), event.native.load(std::memory_order_relaxed),
                                             external);
}

Status query_in_driver(ThreadBlock &thread, Device &device, EventSlot &event, uint64_t word,
                       int32_t *out_done) noexcept {
    bool done = false;
    GS_YIELD(AfterCheck);
    GS_TRY(device.backend->event_query(thread, device.ordinal, event.native.load(std::memory_order_relaxed), &done));
    if (done) publish_complete(event, word);
    *out_done = done ? 1 : 0;
    return kOk;
}

Status synchronize_event(ThreadBlock &thread, uint64_t handle) noexcept {
    EventSlot *event = nullptr;
    PinGuard pin;
    {
        CallMark mark(thread);
        GS_TRY(required_event(thread, handle, &event));
        pin.take(*event);
    }
    thread.counters.synchronizes.add();
    const uint64_t word = event->word.load(std::memory_order_acquire);
    if (never_recorded(word)) return kOk;
    Device &device = *event->device.load(std::memory_order_acquire);
    GS_TRY(check_health(device));
    GS_TRY(sync_debug_check(SyncCall::Event));
    if (known_complete(*event, word)) {
        thread.counters.elided_synchronizes.add();
        return kOk;
    }
    GS_TRY(device.backend->event_synchronize(thread, device.ordinal, event->native.load(std::memory_order_relaxed)));
    publish_complete(*event, word);
    return kOk;
}

Status elapsed_ms(ThreadBlock &thread, EventSlot &start, EventSlot &end, double *out_ms) noexcept {
    if ((start.flags & end.flags & GS_EVENT_TIMING) == 0)
        return fail(GS_ERROR_TIMING_DISABLED, "Both events must be created with timing (GS_EVENT_TIMING).");
    if (never_recorded(start.word.load(std::memory_order_acquire)) ||
        never_recorded(end.word.load(std::memory_order_acquire)))
        return fail(GS_ERROR_NOT_RECORDED, "Both events must be recorded before calculating elapsed time.");
    Device &device = *start.device.load(std::memory_order_acquire);
    const Device &other = *end.device.load(std::memory_order_acquire);
    if (device.backend != other.backend)
        return fail(GS_ERROR_NOT_SUPPORTED, "the events belong to the backends %s and %s", device.backend->name(),
                    other.backend->name());
    if (&device != &other)
        return fail(GS_ERROR_DEVICE_MISMATCH, "the events belong to %s device %d and %s device %d",
                    device.backend->name(), device.ordinal, other.backend->name(), other.ordinal);
    GS_TRY(check_health(device));
    return device.backend->event_elapsed_ms(thread, device.ordinal, start.native.load(std::memory_order_relaxed),
                                            end.native.load(std::memory_order_relaxed), out_ms);
}

uintptr_t bound_native(const EventSlot &event) noexcept {
    return event.device.load(std::memory_order_acquire) ? event.native.load(std::memory_order_relaxed) : 0;
}

// "Never recorded" is no longer ours to say. (An event is bound, and has a driver's event to give out, also if its
// first record failed.)
static void others_may_record(EventSlot &event) noexcept {
    uint64_t word = event.word.load(std::memory_order_acquire);
    while (never_recorded(word) &&
           !event.word.compare_exchange_weak(word, record_word(kUnknownStream, word_ticket(word) + 1),
                                             std::memory_order_acq_rel)) {}
}

uintptr_t export_native(EventSlot &event) noexcept {
    const uintptr_t native = bound_native(event);
    if (!native) return 0;
    event.traits.fetch_or(kEventForeign | kEventNoPool, std::memory_order_seq_cst);
    others_may_record(event);
    return native;
}

Status export_event(ThreadBlock &thread, EventSlot &event, gs_ipc_handle_t *out) noexcept {
    if ((event.flags & GS_EVENT_INTERPROCESS) == 0)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the event was created without GS_EVENT_INTERPROCESS");
    if (event.traits.load(std::memory_order_relaxed) & kEventOpened)
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "the event was opened from another process; only its exporter can export it");
    Device *device = event.device.load(std::memory_order_acquire);
    if (!device) {
        GS_TRY(ensure_initialized());
        GS_TRY(resolve_device(thread, GS_DEVICE_CURRENT, &device));
        GS_TRY(check_health(*device));
        GS_TRY(bind_event(event, *device));
    }
    GS_TRY(device->backend->event_ipc_export(device->ordinal, event.native.load(std::memory_order_relaxed), out));
    others_may_record(event);
    return kOk;
}

} // namespace gs
