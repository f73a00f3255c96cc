// SPDX-License-Identifier: Apache-2.0
// From what a caller names to what the library has: handles of streams and events, GS_STREAM_CURRENT, device numbers.
// Handles are looked up under the caller's CallMark.
#pragma once

#include "core/device/device_table.hpp"
#include "core/names.hpp"
#include "core/slots.hpp"
#include "core/thread/thread_state.hpp"

namespace gs {

// The live slot, or nullptr.
inline StreamSlot *find_stream(const ThreadBlock &thread, uint64_t handle) noexcept {
    StreamSlot *slot = stream_slots().find(handle);
    if (!slot || !note_use(*slot, handle, thread.id)) return nullptr;
    return slot;
}
inline EventSlot *find_event(const ThreadBlock &thread, uint64_t handle) noexcept {
    EventSlot *slot = event_slots().find(handle);
    if (!slot || !note_counted_use(*slot, handle, thread.id)) return nullptr;
    return slot;
}

// INVALID_HANDLE when there is no live object with this handle.
inline Status required_stream(const ThreadBlock &thread, uint64_t handle, StreamSlot **out) noexcept {
    *out = find_stream(thread, handle);
    return *out != nullptr ? kOk : no_such_object(Kind::Stream, handle);
}
inline Status required_event(const ThreadBlock &thread, uint64_t handle, EventSlot **out) noexcept {
    *out = find_event(thread, handle);
    return *out != nullptr ? kOk : no_such_object(Kind::Event, handle);
}
// Called before GS_STREAM_CURRENT is answered, if set: brings the thread's current stream of the device up to date.
using CurrentHook = Status (*)(ThreadBlock &thread, Device &device) noexcept;
extern std::atomic<CurrentHook> g_current_hook __attribute__((visibility("hidden")));
// For calls that take a handle or GS_STREAM_CURRENT.
Status current_or_no_stream(ThreadBlock &thread, uint64_t handle, StreamSlot **out) noexcept;
inline Status optional_stream(ThreadBlock &thread, uint64_t handle, StreamSlot **out) noexcept {
    *out = find_stream(thread, handle);
    return *out != nullptr ? kOk : current_or_no_stream(thread, handle, out);
}

// The thread's current device: the one that it set, else that of the driver's current context, else device 0 of the
// default backend.
Status followed_device(ThreadBlock &thread, Device **out) noexcept;
// As far as it is known without asking the driver, else nullptr.
inline Device *known_current_device(const ThreadBlock &thread) noexcept {
    // Made once, and published as the record in model first_record_is_seen_whole.
    return thread.core ? known_device(*thread.core) : g_unset_device.load(std::memory_order_acquire);
}
// What GS_STREAM_CURRENT means or, after a call, meant in it; likewise. Without a CallMark: slots are never freed, and a stream that
// is current on the thread lives.
inline const StreamSlot *known_current_stream(const ThreadBlock &thread) noexcept {
    const Device *device = known_current_device(thread);
    if (!device) return nullptr;
    return thread.core ? current_stream(*thread.core, *device) : device->default_stream;
}
inline Status current_device(ThreadBlock &thread, Device **out) noexcept {
    *out = known_current_device(thread);
    return *out != nullptr ? kOk : followed_device(thread, out);
}

// Starts the device's backend if needed. INVALID_DEVICE when there is no such device; UNAVAILABLE and the like when the
// backend cannot start. GS_DEVICE_CURRENT is the thread's current device.
Status resolve_any_device(ThreadBlock &thread, gs_device_t number, Device **out) noexcept;
inline Status resolve_device(ThreadBlock &thread, gs_device_t number, Device **out) noexcept {
    if (static_cast<uint32_t>(number) >= g_default_device_count.load(std::memory_order_acquire))
        return resolve_any_device(thread, number, out);
    *out = g_default_devices.load(std::memory_order_relaxed) + number;
    return kOk;
}

} // namespace gs
