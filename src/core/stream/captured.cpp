// SPDX-License-Identifier: Apache-2.0
#include "core/stream/captured.hpp"

namespace gs {

std::atomic<uint32_t> g_live_captures{0};
std::atomic<uint32_t> g_capture_epoch{1};
std::atomic<const CaptureGuard *> g_capture_guard{nullptr};

void close_default_stream(const Device &device) noexcept {
    StreamSlot &stream = *device.default_stream;
    stream.late.store(kLateClosed, std::memory_order_relaxed);
    stream.health = &stream.late;
}

void open_default_stream(const Device &device) noexcept { device.default_stream->health = device.health; }

namespace {

// OK while the capture lasts. A failure is found again by each call.
Status check_now(StreamSlot &stream) noexcept {
    AdoptedStream found{};
    GS_TRY(stream.backend->stream_adopt(stream.native, &found));
    if (found.capturing) return kOk;
    if (found.ordinal != stream.ordinal)
        return fail(GS_ERROR_DEVICE_MISMATCH,
                    "the stream was wrapped during a capture as one of %s device %d, but it belongs to device %d",
                    stream.backend->name(), stream.ordinal, found.ordinal);
    stream.priority.store(found.priority, std::memory_order_relaxed);
    if (found.blocking) stream.flags.fetch_or(GS_STREAM_BLOCKING, std::memory_order_relaxed);
    stream.late.store(kLateDone, std::memory_order_relaxed);
    return kOk;
}

// The stream's health is the device's again when the last capture has ended.
Status refuse_if_closed(StreamSlot &stream) noexcept {
    if (const CaptureGuard *guard = capture_guard()) guard->forget_ended(*stream.device);
    if (stream.health.get() != &stream.late) return kOk;
    return fail(GS_ERROR_CAPTURING,
                "a blocking stream of the device is being captured: a call on the default stream would "
                "break that capture");
}

} // namespace

void postpone_check(StreamSlot &slot) noexcept {
    slot.late.store(kLateDue, std::memory_order_relaxed);
    slot.health = &slot.late;
}

Status check_health_slowly(StreamSlot &stream) noexcept {
    if (stream.late.load(std::memory_order_relaxed) == kLateDue) GS_TRY(check_now(stream));
    if (stream.late.load(std::memory_order_relaxed) == kLateClosed && stream.kind == StreamKind::Default)
        GS_TRY(refuse_if_closed(stream));
    return check_health(*stream.device);
}

} // namespace gs
