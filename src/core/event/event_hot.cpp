// SPDX-License-Identifier: Apache-2.0
#include "core/event/event_hot.hpp"

#include "base/env.hpp"
#include "base/log.hpp"
#include "core/event/event_calls.hpp"
#include "core/names.hpp"

namespace gs {
namespace {

Mutex g_bind_mutex; // taken once per event, at its first record or export

Status device_mismatch(const Device &event, const Device &stream) noexcept {
    if (event.backend != stream.backend)
        return fail(GS_ERROR_NOT_SUPPORTED, "an event of the %s backend cannot be recorded on a %s stream",
                    event.backend->name(), stream.backend->name());
    return fail(GS_ERROR_DEVICE_MISMATCH, "Event device %s:%d does not match recording stream's device %s:%d.",
                event.backend->name(), event.ordinal, stream.backend->name(), stream.ordinal);
}

// The slot may still have the driver event of its last event, from another device.
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

std::atomic<int8_t> g_elide{-1};

bool elision_enabled() noexcept {
    const bool enabled = env_number(kElideNumber) != 0;
    g_elide.store(enabled ? 1 : 0, std::memory_order_relaxed);
    return enabled;
}

std::atomic<int32_t> g_unrecorded_mode{GS_UNRECORDED_IGNORE};

Status unrecorded_wait(const EventSlot &event) noexcept {
    const ObjectText named = describe_object(event.handle.load(std::memory_order_relaxed));
    switch (g_unrecorded_mode.load(std::memory_order_relaxed)) {
    case GS_UNRECORDED_ERROR:
        return fail(GS_ERROR_NOT_RECORDED, "event %s was never recorded, and GS_OPTION_UNRECORDED_MODE is 2 (error)",
                    named.text);
    case GS_UNRECORDED_WARN:
        log_message(GS_LOG_WARNING, "event %s was never recorded: a wait for it ends at once", named.text);
        break;
    default: break;
    }
    return kOk;
}

// Without a pin the capture is of other code, or has ended on another thread, and then the question is asked again.
Status keep_if_captured(ThreadBlock &thread, StreamSlot &stream, EventSlot &event, CapturePin *out,
                        bool *out_capturing) noexcept {
    mark_used(stream); // before the pin, since deferred functions of the stream are marked there
    for (bool again = true; again;) {
        const CapturesBefore before(stream);
        GS_TRY(stream.backend->stream_is_capturing(thread, stream.ref(), out_capturing));
        if (!*out_capturing) return kOk;
        event.traits.fetch_or(kEventNoPool, std::memory_order_seq_cst);
        if (const CaptureGuard *guard = capture_guard()) GS_TRY(guard->keep_event(thread, stream, event, out));
        again = !out->graph() && before.changed();
    }
    return kOk;
}

Status bind_event(EventSlot &event, Device &device) noexcept {
    LaterMessages later;
    MutexLock lock(g_bind_mutex);
    if (const Device *bound = event.device.load(std::memory_order_relaxed))
        return bound == &device ? kOk : device_mismatch(*bound, device);
    GS_TRY(give_native(event, device));
    event.device.store(&device, std::memory_order_release);
    return kOk;
}

namespace {

// The event was given out since its record is held, and keeps its driver event: the next record must not be complete
// before the held one.
Status come_behind_held(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept {
    bool captured = false;
    GS_TRY(is_captured(thread, stream, &captured));
    if (captured)
        return fail(GS_ERROR_CAPTURING, "a call waits for the event's last record, which a record in a capture would "
                                        "end: other code has the driver's event");
    mark_used(stream);
    extend_reach(stream, event);
    // It has a record, so both were bound before: model first_record_is_seen_whole.
    const uintptr_t native = event.native.load(std::memory_order_acquire);
    return stream.backend->stream_wait_event(thread, stream.ref(), native, false);
}

} // namespace

Status record_if_held(ThreadBlock &thread, EventSlot &event, StreamSlot &stream, bool *out_recorded) noexcept {
    if ((event.traits.load(std::memory_order_relaxed) & kEventHeld) == 0) return kOk;
    if (!may_hold(event)) return come_behind_held(thread, event, stream);
    const uint64_t before = event.word.load(std::memory_order_acquire);
    GS_TRY(record_beside_held(thread, event, stream, out_recorded));
    if (*out_recorded) {
        thread.counters.records.add();
        publish_record_of(thread, event, stream, before);
    }
    return kOk;
}

Status record_slowly(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept {
    bool recorded = false;
    GS_TRY(record_if_held(thread, event, stream, &recorded));
    if (recorded) return kOk;
    if (event.flags & GS_EVENT_EXTERNAL) return record_external(thread, event, stream);
    mark_used(stream);
    return record_bound(thread, event, stream, false);
}

Status record_external(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept {
    bool capturing = false;
    CapturePin pin;
    GS_TRY(keep_if_captured(thread, stream, event, &pin, &capturing));
    return record_bound(thread, event, stream, capturing);
}

Status wait_external(ThreadBlock &thread, StreamSlot &stream, EventSlot &event) noexcept {
    bool capturing = false;
    CapturePin pin;
    GS_TRY(keep_if_captured(thread, stream, event, &pin, &capturing));
    if (capturing) GS_TRY(check_interprocess_node(stream, event));
    // The event has a record, so both were bound before: model first_record_is_seen_whole.
    const uintptr_t native = event.native.load(std::memory_order_acquire);
    if (!capturing && (event.flags & GS_EVENT_INTERPROCESS) != 0)
        return wait_interprocess(thread, stream, *event.device.load(std::memory_order_acquire), native);
    return stream.backend->stream_wait_event(thread, stream.ref(), native, capturing);
}

Status wait_unrecorded(ThreadBlock &thread, StreamSlot &stream, EventSlot &event) noexcept {
    bool capturing = false;
    CapturePin pin;
    if (event.flags & GS_EVENT_EXTERNAL) GS_TRY(keep_if_captured(thread, stream, event, &pin, &capturing));
    if (!capturing) return unrecorded_wait(event);
    const Device *device = event.device.load(std::memory_order_acquire);
    if (!device) {
        GS_TRY(bind_event(event, *stream.device));
    } else {
        GS_TRY(check_home(*device, event, stream));
    }
    GS_TRY(check_interprocess_node(stream, event));
    return stream.backend->stream_wait_event(thread, stream.ref(), event.native.load(std::memory_order_acquire), true);
}

void publish_in_capture(const CaptureGuard &guard, ThreadBlock &thread, EventSlot &event, StreamSlot &stream,
                        uint64_t before) noexcept {
    const bool captured = guard.recorded(thread, event, stream);
    publish_record(event, before, captured ? kUnknownStream : stream.uid);
}

Status refuse_other_backend(const EventSlot &event, const StreamSlot &stream) noexcept {
    return fail(GS_ERROR_NOT_SUPPORTED, "a %s stream cannot wait for an event of the %s backend",
                stream.backend->name(), event.device.load(std::memory_order_relaxed)->backend->name());
}

Status wait_by_driver(ThreadBlock &thread, StreamSlot &stream, EventSlot &event) noexcept {
    extend_reach(stream, event);
    if (event.flags & GS_EVENT_EXTERNAL) return wait_external(thread, stream, event);
    if (const CaptureGuard *guard = capture_guard()) GS_TRY(guard->may_wait(thread, stream, event));
    mark_used(stream);
    stream.last_wait.store(event.handle.load(std::memory_order_relaxed), std::memory_order_relaxed);
    // The event has a record, so both were bound before: model first_record_is_seen_whole.
    const uintptr_t native = event.native.load(std::memory_order_acquire);
    return event.flags & GS_EVENT_INTERPROCESS
               ? wait_interprocess(thread, stream, *event.device.load(std::memory_order_acquire), native)
               : stream.backend->wait_on_healthy(thread, stream.ref(), native);
}

Status query_by_driver(ThreadBlock &thread, Device &device, EventSlot &event, uint64_t word,
                       int32_t *out_done) noexcept {
    if (const CaptureGuard *guard = capture_guard()) GS_TRY(guard->may_ask(thread, event));
    bool done = false;
    GS_TRY(device.backend->event_query(thread, device.ordinal, event.native.load(std::memory_order_acquire), &done));
    if (done) publish_complete(event, word);
    *out_done = done ? 1 : 0;
    return kOk;
}

} // namespace gs
