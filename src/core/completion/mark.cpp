// SPDX-License-Identifier: Apache-2.0
#include "core/completion/point.hpp"

#include <utility>

#include "base/clock.hpp"
#include "core/completion/lanes.hpp"
#include "core/event/event_calls.hpp"
#include "core/event/event_hot.hpp"
#include "core/lookup.hpp"
#include "core/runtime.hpp"
#include "core/stream/captured.hpp"
#include "core/stream/stream_calls.hpp"
#include "core/stream/stream_life.hpp"
#include "handle/grace.hpp"

namespace gs {
namespace {

[[gnu::always_inline]] inline void place_point(Point &point, Device &device) noexcept {
    point.device = &device;
    point.added_ns = g_lane_keys.has(point.lane) ? 0 : monotonic_ns();
}

// Of an event, maybe of another device than the driver event that the point keeps.
void place_event_point(Point &point, Device &device) noexcept {
    if (point.device != &device) drop_kept_event(point);
    place_point(point, device);
}

[[gnu::always_inline]] inline Status take_event(Point &point, Device &device) noexcept {
    if (point.kept != 0 && point.device == &device) {
        point.event = std::exchange(point.kept, 0);
        return kOk;
    }
    drop_kept_event(point);
    return take_native_event(device, 0, &point.event);
}

// A record that is part of a capture would never be reached, and a question about it would break the capture. No capture begins on
// the stream in between, but the stream may join one, which shows in the second question. It may also join one and leave it with
// the capture's end: then the event is recorded again.
[[gnu::always_inline]] inline Status record_behind(ThreadBlock &thread, StreamSlot &stream, uintptr_t event) noexcept {
    bool capturing = false;
    mark_used(stream); // before the lock, since deferred functions of the stream are marked there
    const NoBeginOf no_begin(stream);
    for (bool again = true; again && !capturing;) {
        const uint32_t epoch = capture_epoch();
        GS_TRY(is_captured(thread, stream, &capturing));
        if (capturing) break;
        GS_TRY(stream.backend->event_record(thread, event, stream.ref(), false));
        if (g_live_captures.load(std::memory_order_relaxed) != 0) GS_TRY(is_captured(thread, stream, &capturing));
        again = capture_epoch() != epoch;
    }
    if (!capturing) return kOk;
    return fail(GS_ERROR_CAPTURING, "what waits for a stream cannot be part of a graph: the stream is being captured");
}

[[gnu::always_inline]] inline Status record_point(ThreadBlock &thread, StreamSlot &stream, Point &point) noexcept {
    GS_TRY(take_event(point, *stream.device));
    place_point(point, *stream.device);
    const Status status = record_behind(thread, stream, point.event);
    // It may have taken effect. The event is spare all the same: its next owner asks about it only after a record of its
    // own, which replaces this one.
    if (!status.ok()) release_event_of(point);
    return status;
}

// Others may record the event at any time, and even capture it, so the scanner must not ask about it. A stream of ours waits
// for it, and is released at once: it stays in its pool until that wait is over.
Status mark_by_stream(ThreadBlock &thread, EventSlot &event, Device &device, Point &point) noexcept {
    uint64_t handle = 0;
    GS_TRY(create_stream(thread, device, 0, 0, &handle));
    StreamSlot *stream = find_stream(thread, handle);
    Status status = wait_event(thread, *stream, event);
    if (status.ok()) status = record_point(thread, *stream, point);
    const Status released = release_stream(thread, handle);
    return status.ok() ? released : status;
}

} // namespace

// Not the driver's handle: a driver reuses those of streams that were destroyed with work pending. A handle of ours is
// never used again; one that has ended (0) gives its point a lane of its own.
uint64_t lane_of(const ThreadBlock &thread, const StreamSlot &stream) noexcept {
    if (!stream.immortal()) return stream.handle.load(std::memory_order_relaxed);
    const uint64_t place = (static_cast<uint64_t>(stream.device->index) + 1) << 56;
    const uint64_t word = stream.kind == StreamKind::PerThread ? thread.serial << 2 | 2 : stream.native;
    return place ^ word;
}

Status mark_stream(ThreadBlock &thread, StreamSlot &stream, Point &point) noexcept {
    GS_TRY(check_health(stream));
    point.lane = lane_of(thread, stream);
    point.adder = thread.serial;
    return record_point(thread, stream, point);
}

Status record_native(ThreadBlock &thread, StreamSlot &stream, uintptr_t event) noexcept {
    return record_behind(thread, stream, event);
}

Status mark_event(ThreadBlock &thread, EventSlot &event, Point &point) noexcept {
    int32_t done = 0;
    GS_TRY(query_event(thread, event, &done));
    Device *device = event.device.load(std::memory_order_acquire);
    point.lane = 0;
    if (done != 0) {
        if (!device) { // never recorded: the entry names the device that it would be recorded on
            GS_TRY(ensure_initialized());
            GS_TRY(current_device(thread, &device));
        }
        place_event_point(point, *device);
        return kOk;
    }
    if (!may_hold(event)) return mark_by_stream(thread, event, *device, point);
    GS_TRY(hold_record(event, &point.event));
    if (const CaptureGuard *guard = capture_guard()) {
        // From here on a record in a capture takes another driver event. One that came since the query does not.
        const Status status = guard->may_ask(thread, event);
        if (!status.ok()) {
            release_record(*device, point.event);
            point.event = 0;
            return status;
        }
    }
    point.held = true;
    place_event_point(point, *device);
    return kOk;
}

Status mark_device(ThreadBlock &thread, Device &device, Point &point) noexcept {
    GS_TRY(refuse_if_any_captures(thread, device));
    const CallMark mark(thread); // a reset of the device waits for the record
    GS_TRY(check_health(device));
    GS_TRY(take_event(point, device));
    point.lane = 0;
    place_point(point, device);
    const Status status = device.backend->device_record(thread, device.ordinal, point.event);
    if (!status.ok()) release_event_of(point);
    return status;
}

void release_event_of(Point &point) noexcept {
    const uintptr_t event = std::exchange(point.event, 0);
    if (event == 0) return;
    if (std::exchange(point.held, false)) return release_record(*point.device, event);
    if (!point.keeps) return give_native_event(*point.device, 0, event);
    point.kept = event;
}

void drop_kept_event(Point &point) noexcept {
    if (point.kept != 0) give_native_event(*point.device, 0, std::exchange(point.kept, 0));
}

} // namespace gs
