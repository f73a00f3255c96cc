// SPDX-License-Identifier: Apache-2.0
#include "core/failed_call.hpp"

#include "core/lookup.hpp"
#include "handle/grace.hpp"
#include "handle/handle_bits.hpp"

namespace gs {
namespace {

const Device *device_of_stream(const ThreadBlock &thread, gs_stream_t stream) noexcept {
    const StreamSlot *slot = find_stream(thread, handle_bits(stream));
    return slot ? slot->device : nullptr;
}

const Device *device_of_event(const ThreadBlock &thread, gs_event_t event) noexcept {
    const EventSlot *slot = find_event(thread, handle_bits(event));
    return slot ? slot->device.load(std::memory_order_acquire) : nullptr;
}

} // namespace

void note_given(ThreadBlock &thread, gs_stream_t stream, gs_event_t event, gs_device_t device) noexcept {
    gs_error_info_t &last = thread.last;
    if (handle_bits(stream) == kCurrentStreamBits) {
        const StreamSlot *slot = known_current_stream(thread);
        stream = slot ? to_handle<gs_stream_t>(slot->handle.load(std::memory_order_relaxed)) : nullptr;
    }
    if (!last.stream) last.stream = stream;
    if (!last.event) last.event = event;
    const Device *found = nullptr;
    if (device == GS_DEVICE_CURRENT) {
        found = known_current_device(thread);
    } else if (device == GS_DEVICE_NONE) {
        const CallMark mark(thread);
        found = device_of_stream(thread, stream);
        if (!found) found = device_of_event(thread, event);
    }
    last.device = found ? device_number(*found) : device;
}

} // namespace gs
