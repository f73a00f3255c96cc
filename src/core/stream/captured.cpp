// SPDX-License-Identifier: Apache-2.0
#include "core/stream/captured.hpp"

namespace gs {

std::atomic<uint32_t> g_live_captures{0};
std::atomic<const CaptureGuard *> g_capture_guard{nullptr};

void close_default_stream(const Device &device) noexcept {
    StreamSlot &stream = *device.default_stream;
    stream.late.store(kLateClosed, std::memory_order_relaxed);
    stream.health = &stream.late;
}

void open_default_stream(const Device &device) noexcept { device.default_stream->health = device.health; }

} // namespace gs
