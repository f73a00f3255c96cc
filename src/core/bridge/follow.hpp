// SPDX-License-Identifier: Apache-2.0
// Following: before it is answered, the thread's current stream of a device becomes the one that the followed library has.
#pragma once

#include "core/bridge/bridge_thread.hpp"
#include "core/thread/thread_state.hpp"

namespace gs {

inline constexpr int32_t kNoPlace = -1;
// Where the library is that is followed and can be asked now: not inside a host function. It may be one of another backend.
inline int32_t followed_place(const ThreadBlock &thread) noexcept {
    const int32_t place = g_followed_bridge.load(std::memory_order_acquire);
    return thread.callback_depth == 0 ? place : kNoPlace;
}
inline constexpr uintptr_t kNativeLegacyStream = 1; // another name of the default stream
// The library's stream, as the driver's number; *out_known false: it is not of the device's backend, or following has just
// ended. The caller is not inside a bridge.
[[gnu::always_inline]] inline Status followed_native(CoreThread &core, int32_t place, BridgeDevice device,
                                                     uintptr_t *out_native, bool *out_known) noexcept {
    BridgeThread *mine = nullptr;
    GS_TRY(bridge_thread(core, &mine));
    int32_t id = 0;
    uintptr_t native = 0;
    GS_TRY(ask_bridge(*mine, place, device, &native, &id));
    *out_native = native == kNativeLegacyStream ? kNativeDefaultStream : native;
    *out_known = id != 0;
    return kOk;
}
// The library's current stream is another one than ours: makes it ours.
Status follow_to(ThreadBlock &thread, CoreThread &core, Device &device, uintptr_t native) noexcept;
// Makes it the thread's current stream of the device, if there is one. The caller is not inside a bridge.
[[gnu::always_inline]] inline Status follow_now(ThreadBlock &thread, CoreThread &core, Device &device) noexcept {
    const int32_t place = followed_place(thread);
    if (place == kNoPlace) return kOk;
    uintptr_t native = 0;
    bool known = false;
    GS_TRY(followed_native(core, place, device, &native, &known));
    if (!known || current_stream(core, device)->native == native) return kOk;
    return follow_to(thread, core, device, native);
}

// The CurrentHook of core/lookup.hpp while a bridge is led or followed.
Status before_current(ThreadBlock &thread, Device &device) noexcept;
// Between two calls of the thread: releases the wraps that no call can be using any more. There may be such wraps only
// after one was parked, after the thread's current streams changed, and once following has ended.
void release_unused(ThreadBlock &thread, BridgeThread &mine) noexcept __attribute__((cold));
inline void settle_bridges(ThreadBlock &thread, const CoreThread &core) noexcept {
    BridgeThread *mine = core.bridge;
    if (!mine) return;
    const bool over =
        mine->holding.load(std::memory_order_relaxed) != 0 && g_followed_bridge.load(std::memory_order_relaxed) < 0;
    if (mine->unsettled || over) release_unused(thread, *mine);
}

// The raw current stream, for callers that pass it on at once.

// Of the calling thread on a device; the followed library's if one is. Marks ours as given out.
Status current_native(ThreadBlock &thread, CoreThread &core, Device &device, uintptr_t *out_native) noexcept;

// As DLPack wants it. Starts no backend.
Status work_stream(ThreadBlock &thread, int32_t device_type, int32_t device_id, void **out_stream) noexcept;

} // namespace gs
