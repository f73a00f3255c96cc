// SPDX-License-Identifier: Apache-2.0
#include "core/event/driver_events.hpp"
#include "core/event/event_calls.hpp"
#include "core/stream/driver_streams.hpp"
#include "core/stream/stream_pool.hpp"

namespace gs {
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
    if (may_wait_interprocess(stream, home))
        return stream.backend->stream_wait_event(thread, stream.ref(), event, false);
    GS_TRY(check_health(home));
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
