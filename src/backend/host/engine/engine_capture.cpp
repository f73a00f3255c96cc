// SPDX-License-Identifier: Apache-2.0
// Capture state: which streams take part in which capture. There are no graphs yet, so captured work is dropped.
#include "backend/host/engine/engine.hpp"

namespace gs::host {
namespace {

void enter(Stream &stream, uint64_t capture) noexcept {
    if (stream.blocking) stream.device->blocking_captures.fetch_add(1, std::memory_order_acq_rel);
    stream.capture.store(capture, std::memory_order_release);
}

} // namespace

Result Engine::capture_begin(Stream &stream) noexcept {
    if (stream.legacy) return Result::StreamCapturing; // CUDA forbids it as well
    TinyGuard guard(stream.lock);
    if (capture_of(stream) != 0) return Result::StreamCapturing;
    enter(stream, next_capture_.fetch_add(1, std::memory_order_relaxed));
    return Result::Ok;
}

Result Engine::join_capture(Stream &stream, uint64_t own, Event &event) noexcept {
    uint64_t capture;
    {
        TinyGuard guard(event.lock);
        capture = event.capture;
    }
    if (own == capture) return Result::Ok;
    if (own != 0) return Result::CaptureMerge;
    if (stream.legacy) return Result::CaptureImplicit;
    enter(stream, capture);
    return Result::Ok;
}

Result Engine::capture_end(Stream &stream) noexcept {
    const uint64_t capture = capture_of(stream);
    if (capture == 0) return Result::NotCapturing;
    for (int32_t i = 0; i < device_count_; ++i) {
        MutexLock lock(devices_[i].list_lock);
        for (Stream *member = devices_[i].streams; member; member = member->all_next) {
            uint64_t expected = capture;
            if (member->capture.compare_exchange_strong(expected, 0, std::memory_order_acq_rel) && member->blocking)
                devices_[i].blocking_captures.fetch_sub(1, std::memory_order_acq_rel);
        }
    }
    return Result::Ok;
}

} // namespace gs::host
