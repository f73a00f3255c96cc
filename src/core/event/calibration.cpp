// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>

#include "base/clock.hpp"
#include "base/free_list.hpp"
#include "core/event/event_calls.hpp"
#include "core/event/event_hot.hpp"
#include "core/lookup.hpp"
#include "core/stream/stream_calls.hpp"
#include "core/stream/stream_life.hpp"
#include "handle/grace.hpp"
#include "handle/slot_map.hpp"

namespace gs {
namespace {

constexpr int kTries = 5;
constexpr size_t kKept = 8;
// The kernel slews CLOCK_MONOTONIC by at most 500 parts per million; oscillators differ by tens.
constexpr double kDrift = 600e-6;

// An event whose time is known by both clocks.
struct Comparison {
    explicit Comparison(Device &where) noexcept : device(&where) {}

    Device *const device;
    uintptr_t native = 0;
    int64_t host_ns = 0;
    int64_t error_ns = INT64_MAX;
    RefCount users;
};

struct Kept {
    Comparison *newest_first[kKept] = {};
};

Mutex g_calibration_mutex;
Kept g_kept[kMaxDevices] GS_GUARDED_BY(g_calibration_mutex);

void let_go(Comparison *one) noexcept {
    if (!one || !one->users.release()) return;
    if (one->native) give_native_event(*one->device, GS_EVENT_TIMING, one->native);
    delete one;
}

// A stream of the library's own, with no work in it.
class IdleStream {
public:
    IdleStream(ThreadBlock &thread, Device &device) noexcept : thread_(thread), device_(device) {}
    ~IdleStream() {
        if (handle_ != 0) release_stream(thread_, handle_).ignore(); // no caller has the handle
    }
    Status take() noexcept {
        GS_TRY(create_stream(thread_, device_, 0, 0, &handle_));
        CallMark mark(thread_);
        GS_TRY(required_stream(thread_, handle_, &slot_));
        pin_.take(*slot_);
        mark_used(*slot_);
        return kOk;
    }
    StreamRef ref() const noexcept { return slot_->ref(); }

private:
    ThreadBlock &thread_;
    Device &device_;
    uint64_t handle_ = 0;
    StreamSlot *slot_ = nullptr;
    PinGuard pin_;
};

// The record takes place between the two looks at the host's clock.
Status compare_once(ThreadBlock &thread, Device &device, StreamRef stream, Comparison &best,
                    uintptr_t *trial) noexcept {
    const auto before = static_cast<int64_t>(monotonic_ns());
    GS_TRY(device.backend->event_record(thread, *trial, stream, false));
    GS_TRY(device.backend->event_synchronize(thread, device.ordinal, *trial));
    const auto after = static_cast<int64_t>(monotonic_ns());
    const int64_t error = (after - before) / 2 + 1;
    if (error >= best.error_ns) return kOk;
    best.host_ns = before + (after - before) / 2;
    best.error_ns = error;
    std::swap(best.native, *trial);
    return kOk;
}

Status compare(ThreadBlock &thread, Device &device, Comparison &best) noexcept {
    IdleStream stream(thread, device);
    GS_TRY(stream.take());
    GS_TRY(take_native_event(device, GS_EVENT_TIMING, &best.native));
    uintptr_t trial = 0;
    GS_TRY(take_native_event(device, GS_EVENT_TIMING, &trial));
    Status status = kOk;
    for (int i = 0; status.ok() && i < kTries; ++i) status = compare_once(thread, device, stream.ref(), best, &trial);
    give_native_event(device, GS_EVENT_TIMING, trial);
    return status;
}

void keep(Comparison *one) noexcept {
    Comparison *oldest = one;
    {
        MutexLock lock(g_calibration_mutex);
        for (Comparison *&place : g_kept[one->device->index].newest_first) std::swap(place, oldest);
    }
    let_go(oldest);
}

// The comparison nearest to a time, or the newest one; with a reference for the caller. nullptr: there is none.
Comparison *nearest(const Device &device, const int64_t *host_ns) noexcept {
    MutexLock lock(g_calibration_mutex);
    Comparison *found = nullptr;
    for (Comparison *one : g_kept[device.index].newest_first) {
        if (!one) break;
        if (found && !host_ns) break;
        if (!found || std::llabs(one->host_ns - *host_ns) < std::llabs(found->host_ns - *host_ns)) found = one;
    }
    if (found) found->users.retain();
    return found;
}

Status reckon(ThreadBlock &thread, const Device &device, const EventSlot &event, const Comparison &from,
              HostTime *out) noexcept {
    double ms = 0;
    const uintptr_t native = event.native.load(std::memory_order_acquire);
    GS_TRY(device.backend->event_elapsed_ms(thread, device.ordinal, from.native, native, &ms));
    const int64_t distance = whole_ns(ms);
    const int64_t drift = round_up(std::fabs(static_cast<double>(distance)) * kDrift);
    *out = {from.host_ns + distance, from.error_ns + device.backend->elapsed_error_ns(ms) + drift};
    return kOk;
}

} // namespace

Status calibrate_device(ThreadBlock &thread, Device &device, int64_t *out_error_ns) noexcept {
    GS_TRY(check_health(device));
    auto *made = new (std::nothrow) Comparison(device);
    if (!made) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to compare clocks");
    if (const Status status = compare(thread, device, *made); !status.ok()) {
        let_go(made);
        return status;
    }
    *out_error_ns = made->error_ns;
    keep(made);
    return kOk;
}

Status event_time(ThreadBlock &thread, EventSlot &event, HostTime *out) noexcept {
    if ((event.flags & GS_EVENT_TIMING) == 0)
        return fail(GS_ERROR_TIMING_DISABLED, "The event must be created with timing (GS_EVENT_TIMING).");
    if (never_recorded(event.word.load(std::memory_order_acquire)))
        return fail(GS_ERROR_NOT_RECORDED, "The event must be recorded before its time is asked for.");
    const Device &device = *event.device.load(std::memory_order_acquire);
    GS_TRY(check_health(device));
    if (const CaptureGuard *guard = capture_guard()) GS_TRY(guard->may_ask(thread, event));
    Comparison *first = nearest(device, nullptr);
    if (!first)
        return fail(GS_ERROR_INVALID_ARGUMENT, "the clock of %s device %d was never compared: gs_device_calibrate()",
                    device.backend->name(), device.ordinal);
    HostTime time{};
    Status status = reckon(thread, device, event, *first, &time);
    if (status.ok()) {
        Comparison *closest = nearest(device, &time.ns);
        if (closest != first) status = reckon(thread, device, event, *closest, &time);
        let_go(closest);
    }
    let_go(first);
    if (status.ok()) *out = time;
    return status;
}

} // namespace gs
