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
// The library's stream, as the driver's number; *out_known false: following has just ended. NOT_PERMITTED inside a bridge.
Status followed_native(CoreThread &core, BridgeDevice device, uintptr_t *out_native, bool *out_known) noexcept;
// Makes it the thread's current stream of the device. Does nothing unless is_followed.
Status follow_now(ThreadBlock &thread, CoreThread &core, Device &device) noexcept;

// The CurrentHook of core/lookup.hpp while a bridge is led or followed.
Status before_current(ThreadBlock &thread, Device &device) noexcept;
// Between two calls of the thread: releases the wraps that no call can be using any more. There may be such wraps only
// after one was parked, after the thread's current streams changed, and once following has ended.
void release_unused(ThreadBlock &thread, BridgeThread &mine) noexcept __attribute__((cold));
inline void settle_bridges(ThreadBlock &thread) noexcept {
    BridgeThread *mine = thread.core ? thread.core->bridge : nullptr;
    if (!mine) return;
    const bool over = mine->holding.load(std::memory_order_relaxed) != 0 &&
                      g_followed_bridge.load(std::memory_order_relaxed) < 0;
    if (__builtin_expect(mine->unsettled || over, 0)) release_unused(thread, *mine);
}

} // namespace gs
