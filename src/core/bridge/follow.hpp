// SPDX-License-Identifier: Apache-2.0
// Following: before it is answered, the thread's current stream of a device becomes the one that the followed library has.
#pragma once

#include "core/bridge/bridge_thread.hpp"

namespace gs {

// True if a library is followed on this device and can be asked now: not inside a host function.
inline bool is_followed(const ThreadBlock &thread, BridgeDevice device) noexcept {
    const int32_t place = g_followed_bridge.load(std::memory_order_acquire);
    return place >= 0 && g_bridges[place].backend.load(std::memory_order_relaxed) == device.kind &&
           thread.callback_depth == 0;
}
inline constexpr uintptr_t kNativeLegacyStream = 1; // another name of the default stream
// The library's stream, as the driver's number; *out_known false: following has just ended. NOT_PERMITTED inside a bridge.
[[gnu::always_inline]] inline Status followed_native(CoreThread &core, BridgeDevice device, uintptr_t *out_native,
                                                     bool *out_known) noexcept {
    GS_TRY(refuse_inside_bridge(&core));
    BridgeThread *mine = nullptr;
    GS_TRY(bridge_thread(core, &mine));
    const int32_t place = g_followed_bridge.load(std::memory_order_acquire);
    int32_t id = 0;
    uintptr_t native = 0;
    if (__builtin_expect(place >= 0, 1)) GS_TRY(ask_bridge(*mine, place, device, &native, &id));
    *out_native = native == kNativeLegacyStream ? kNativeDefaultStream : native;
    *out_known = id != 0;
    return kOk;
}
// The library's current stream is another one than ours: makes it ours.
Status follow_to(ThreadBlock &thread, CoreThread &core, Device &device, uintptr_t native) noexcept;
// Makes it the thread's current stream of the device. Does nothing unless is_followed.
[[gnu::always_inline]] inline Status follow_now(ThreadBlock &thread, CoreThread &core, Device &device) noexcept {
    if (!is_followed(thread, device)) return kOk;
    uintptr_t native = 0;
    bool known = false;
    GS_TRY(followed_native(core, device, &native, &known));
    if (__builtin_expect(!known || current_stream(core, device)->native == native, 1)) return kOk;
    return follow_to(thread, core, device, native);
}

// The CurrentHook of core/lookup.hpp while a bridge is led or followed.
Status before_current(ThreadBlock &thread, Device &device) noexcept;
// Between two calls of the thread: releases the wraps that no call can be using any more. There may be such wraps only
// after one was parked, after the thread's current streams changed, and once following has ended.
void release_unused(ThreadBlock &thread, BridgeThread &mine) noexcept __attribute__((cold));
inline void settle_bridges(ThreadBlock &thread) noexcept {
    BridgeThread *mine = thread.core ? thread.core->bridge : nullptr;
    if (!mine) return;
    const bool over =
        mine->holding.load(std::memory_order_relaxed) != 0 && g_followed_bridge.load(std::memory_order_relaxed) < 0;
    if (__builtin_expect(mine->unsettled || over, 0)) release_unused(thread, *mine);
}

} // namespace gs
