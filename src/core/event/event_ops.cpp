// SPDX-License-Identifier: Apache-2.0
#include "core/event/event_calls.hpp"
#include "core/event/event_hot.hpp"
#include "core/lookup.hpp"
#include "core/runtime.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/stream_calls.hpp"
#include "core/stream/stream_slots.hpp"
#include "core/sync_debug.hpp"
#include "handle/grace.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

// Ends the state "never recorded", since others may record the event from now on. (An event whose first record failed has a
// driver event to give out, but is still in that state.)
void others_may_record(EventSlot &event) noexcept {
    uint64_t word = event.word.load(std::memory_order_acquire);
    while (never_recorded(word) &&
           !event.word.compare_exchange_weak(word, record_word(kUnknownStream, word_ticket(word) + 1),
                                             std::memory_order_acq_rel)) {}
}

gs_event_t handle_of(const EventSlot &event) noexcept {
    return to_handle<gs_event_t>(event.handle.load(std::memory_order_relaxed));
}

} // namespace

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
    if (never_recorded(word)) return unrecorded_waits_are_silent() ? kOk : unrecorded_wait(*event);
    Device &device = *event->device.load(std::memory_order_acquire);
    GS_TRY(check_health(device));
    GS_TRY(sync_debug_check(SyncCall::Event));
    if (known_complete(*event, word)) {
        thread.counters.elided_synchronizes.add();
        return kOk;
    }
    if (const CaptureGuard *guard = capture_guard()) GS_TRY(guard->may_ask(thread, *event));
    GS_TRY(device.backend->event_synchronize(thread, device.ordinal, event->native.load(std::memory_order_acquire)));
    publish_complete(*event, word);
    return kOk;
}

Status elapsed_ms(ThreadBlock &thread, EventSlot &start, EventSlot &end, double *out_ms) noexcept {
    if ((start.flags & end.flags & GS_EVENT_TIMING) == 0)
        return fail_about(nullptr, handle_of((start.flags & GS_EVENT_TIMING) == 0 ? start : end),
                          GS_ERROR_TIMING_DISABLED, "Both events must be created with timing (GS_EVENT_TIMING).");
    const bool no_start = never_recorded(start.word.load(std::memory_order_acquire));
    if (no_start || never_recorded(end.word.load(std::memory_order_acquire)))
        return fail_about(nullptr, handle_of(no_start ? start : end), GS_ERROR_NOT_RECORDED,
                          "Both events must be recorded before calculating elapsed time.");
    Device &device = *start.device.load(std::memory_order_acquire);
    const Device &other = *end.device.load(std::memory_order_acquire);
    if (device.backend != other.backend)
        return fail(GS_ERROR_NOT_SUPPORTED, "the events belong to the backends %s and %s", device.backend->name(),
                    other.backend->name());
    if (&device != &other)
        return fail(GS_ERROR_DEVICE_MISMATCH, "the events belong to %s device %d and %s device %d",
                    device.backend->name(), device.ordinal, other.backend->name(), other.ordinal);
    GS_TRY(check_health(device));
    if (const CaptureGuard *guard = capture_guard()) {
        GS_TRY(guard->may_ask(thread, start));
        GS_TRY(guard->may_ask(thread, end));
    }
    return device.backend->event_elapsed_ms(thread, device.ordinal, start.native.load(std::memory_order_acquire),
                                            end.native.load(std::memory_order_acquire), out_ms);
}

uintptr_t bound_native(const EventSlot &event) noexcept {
    return event.device.load(std::memory_order_acquire) ? event.native.load(std::memory_order_acquire) : 0;
}

Status export_native(EventSlot &event, uintptr_t *out_native) noexcept {
    event.traits.fetch_or(kEventShared, std::memory_order_seq_cst);
    return native_for_graph(event, out_native);
}

Status native_for_graph(EventSlot &event, uintptr_t *out_native) noexcept {
    const uintptr_t native = bound_native(event);
    if (native) {
        GS_TRY(remember_event(event));
        event.traits.fetch_or(kEventForeign | kEventNoPool, std::memory_order_seq_cst);
        others_may_record(event);
    }
    *out_native = native;
    return kOk;
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
    GS_TRY(device->backend->event_ipc_export(device->ordinal, event.native.load(std::memory_order_acquire), out));
    others_may_record(event);
    return kOk;
}

namespace {

// Slots of the pool that have no handle. Destroyed streams are not collected first, as a create does it: the caller's mark
// protects slots that it uses.
Status lease_without_handle(ThreadBlock &thread, Device &device, StreamSlot **out) noexcept {
    GS_TRY(take_lease(thread, {.device = &device, .partition = nullptr, .priority = 0, .blocking = false}, out));
    return *out ? kOk : make_driver_stream(device, StreamKind::Leased, 0, 0, nullptr, out);
}

// The relay waits for the event and records an ordinary one, which streams of all devices may wait for.
Status wait_behind(ThreadBlock &thread, StreamSlot &stream, StreamSlot &relay, uintptr_t event) noexcept {
    uintptr_t ordinary = 0;
    GS_TRY(take_native_event(*relay.device, 0, &ordinary));
    Backend &backend = *relay.backend;
    Status status = backend.stream_wait_event(thread, relay.ref(), event, false);
    if (status.ok()) status = backend.event_record(thread, ordinary, relay.ref(), false);
    if (status.ok()) status = backend.stream_wait_event(thread, stream.ref(), ordinary, false);
    give_native_event(*relay.device, 0, ordinary);
    return status;
}

// False: the backend must not be asked to let the stream wait for an interprocess event of the device.
bool may_wait_interprocess(const StreamSlot &stream, const Device &home) noexcept {
    return home.ordinal == stream.ordinal || (home.backend->caps() & kCapIpcAcross) != 0;
}

} // namespace

Status wait_interprocess(ThreadBlock &thread, StreamSlot &stream, Device &home, uintptr_t event) noexcept {
    GS_TRY(check_health(home));
    if (may_wait_interprocess(stream, home))
        return stream.backend->stream_wait_event(thread, stream.ref(), event, false);
    StreamSlot *relay = nullptr;
    GS_TRY(lease_without_handle(thread, home, &relay));
    set_state(*relay, StreamState::Alive); // for this call, though without a handle
    mark_used(*relay);
    const Status status = wait_behind(thread, stream, *relay, event);
    set_state(*relay, StreamState::Ended);
    return_lease(*relay); // serves again when it is idle
    return status;
}

Status check_interprocess_node(const StreamSlot &stream, const EventSlot &event) noexcept {
    const Device *home = event.device.load(std::memory_order_acquire); // as model first_record_is_seen_whole
    if ((event.flags & GS_EVENT_INTERPROCESS) == 0 || !home || may_wait_interprocess(stream, *home)) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED,
                "a graph of %s device %d cannot wait for an interprocess event of device %d: drivers crash",
                stream.backend->name(), stream.ordinal, home->ordinal);
}

} // namespace gs
