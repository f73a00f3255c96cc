// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <new>

#include "core/completion/completion_calls.hpp"
#include "core/completion/pace.hpp"
#include "core/completion/point.hpp"
#include "core/event/event_calls.hpp"
#include "core/event/event_hot.hpp"
#include "core/lookup.hpp"
#include "core/stream/stream_calls.hpp"
#include "core/stream/stream_hooks.hpp"
#include "core/sync_debug.hpp"
#include "handle/grace.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

// In this mode and without a limit the backend's own call does it: it sleeps or spins as it is wanted.
bool by_backend(const Backend &backend, int64_t timeout_ns, int32_t mode) noexcept {
    if (timeout_ns >= 0) return false;
    return mode == GS_WAIT_DRIVER || (mode != GS_WAIT_SPIN && (backend.caps() & kCapWakes) != 0);
}

// Points on the calling thread's behalf: their driver events are given back when it has waited.
class Points {
public:
    ~Points() {
        for (size_t i = 0; i < count_; ++i) release_event_of(points_[i]);
        delete[] points_;
        delete[] awaited_;
    }
    Status reserve(size_t room) noexcept {
        // Else `new` throws: no array can be that large.
        const bool possible = room <= PTRDIFF_MAX / std::max(sizeof *points_, sizeof *awaited_);
        points_ = possible ? new (std::nothrow) Point[room] : nullptr;
        awaited_ = possible ? new (std::nothrow) Awaited[room] : nullptr;
        return points_ && awaited_ ? kOk : fail(GS_ERROR_OUT_OF_MEMORY, "no memory to wait for %zu events", room);
    }
    Status add(ThreadBlock &thread, EventSlot &event) noexcept {
        Point &point = points_[count_];
        GS_TRY(mark_event(thread, event, point));
        awaited_[count_++] = {point.device, point.event};
        return kOk;
    }
    const Awaited *list() const noexcept { return awaited_; }
    size_t count() const noexcept { return count_; }

private:
    Point *points_ = nullptr;
    Awaited *awaited_ = nullptr;
    size_t count_ = 0;
};

} // namespace

Status synchronize_stream_for(ThreadBlock &thread, uint64_t handle, int64_t timeout_ns) noexcept {
    const int32_t mode = wait_mode();
    StreamSlot *stream = nullptr;
    PinGuard pin;
    {
        CallMark mark(thread);
        GS_TRY(required_stream(thread, handle, &stream));
        pin.take(*stream);
    }
    if (by_backend(*stream->backend, timeout_ns, mode)) return synchronize_stream(thread, handle);
    const LimitedWait wait(thread, handle, timeout_ns);
    GS_TRY(wait.check(SyncCall::Stream));
    thread.counters.synchronizes.add();
    bool done = false;
    GS_TRY(query_stream(thread, *stream, &done));
    if (done) return kOk;
    if (timeout_ns == 0) return Status{GS_ERROR_TIMEOUT};
    const bool sleeps = mode == GS_WAIT_BLOCK && timeout_ns < 0;
    const uint32_t flags = sleeps ? uint32_t{GS_EVENT_BLOCKING} : 0;
    uintptr_t event = 0;
    GS_TRY(take_native_event(*stream->device, flags, &event));
    Status status = record_native(thread, *stream, event);
    if (status.ok() && sleeps) {
        status = stream->backend->event_synchronize(thread, stream->ordinal, event);
    } else if (status.ok()) {
        const Awaited one{stream->device, event};
        status = await_all(thread, &one, 1, {timeout_ns, mode});
    }
    give_native_event(*stream->device, flags, event);
    if (status.ok()) note_idle(thread, *stream);
    return wait.ended(status);
}

Status synchronize_events(ThreadBlock &thread, const gs_event_t *events, size_t count, int64_t timeout_ns,
                          size_t *out_index) noexcept {
    const LimitedWait wait(thread, handle_bits(events[0]), timeout_ns);
    GS_TRY(wait.check(SyncCall::Event));
    thread.counters.synchronizes.add();
    Points points;
    GS_TRY(points.reserve(count));
    {
        CallMark mark(thread);
        // All are looked up before the first is asked about: a bad handle changes nothing.
        for (size_t i = 0; i < count; ++i) {
            EventSlot *event = nullptr;
            GS_TRY(required_event(thread, handle_bits(events[i]), &event));
            if (!unrecorded_waits_are_silent() && never_recorded(event->word.load(std::memory_order_acquire)))
                GS_TRY(unrecorded_wait(*event));
        }
        for (size_t i = 0; i < count; ++i) {
            EventSlot *event = nullptr;
            GS_TRY(required_event(thread, handle_bits(events[i]), &event));
            GS_TRY(points.add(thread, *event));
        }
    }
    const Limit limit{timeout_ns, wait_mode()};
    if (!out_index) return wait.ended(await_all(thread, points.list(), points.count(), limit));
    return wait.ended(await_any(thread, points.list(), points.count(), limit, out_index));
}

Status synchronize_device_for(ThreadBlock &thread, Device &device, int64_t timeout_ns) noexcept {
    const int32_t mode = wait_mode();
    if (by_backend(*device.backend, timeout_ns, mode)) return synchronize_device(thread, device);
    GS_TRY(check_health(device));
    const LimitedWait limited(thread, reinterpret_cast<uint64_t>(&device), timeout_ns);
    GS_TRY(limited.check(SyncCall::Device));
    GS_TRY(refuse_if_any_captures(thread, device));
    thread.counters.synchronizes.add();
    bool present = false;
    GS_TRY(device.backend->find_context(thread, device.ordinal, &present));
    if (!present) return kOk;
    const bool sleeps = mode == GS_WAIT_BLOCK && timeout_ns < 0;
    const uint32_t flags = sleeps ? uint32_t{GS_EVENT_BLOCKING} : 0;
    uintptr_t event = 0;
    DeviceWait wait(device);
    GS_TRY(take_native_event(device, flags, &event));
    Status status = device.backend->device_record(thread, device.ordinal, event);
    const bool recorded = status.ok();
    if (recorded && sleeps) {
        status = device.backend->event_synchronize(thread, device.ordinal, event);
    } else if (recorded) {
        const Awaited one{&device, event};
        status = await_all(thread, &one, 1, {timeout_ns, mode});
    }
    give_native_event(device, flags, event);
    // Without a limit an older driver's own call does it.
    if (status.code == GS_ERROR_NOT_SUPPORTED && timeout_ns < 0)
        status = device.backend->device_synchronize(device.ordinal);
    if (!status.ok()) return limited.ended(status);
    wait.over();
    return kOk;
}

Status synchronize_event_for(ThreadBlock &thread, uint64_t handle, int64_t timeout_ns) noexcept {
    const int32_t mode = wait_mode();
    if (timeout_ns < 0) {
        CallMark mark(thread);
        EventSlot *event = nullptr;
        GS_TRY(required_event(thread, handle, &event));
        const Device *device = event->device.load(std::memory_order_acquire);
        // A blocking event sleeps in the driver.
        const bool sleeps = mode == GS_WAIT_BLOCK && (event->flags & GS_EVENT_BLOCKING) != 0;
        if (!device || sleeps || by_backend(*device->backend, timeout_ns, mode)) timeout_ns = INT64_MIN;
    }
    if (timeout_ns == INT64_MIN) return synchronize_event(thread, handle);
    const gs_event_t event = to_handle<gs_event_t>(handle);
    return synchronize_events(thread, &event, 1, timeout_ns, nullptr);
}

} // namespace gs
