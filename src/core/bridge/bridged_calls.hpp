// SPDX-License-Identifier: Apache-2.0
// The calls that change the current stream or device, while bridges are notified. Ours changes first, and is changed back
// when a bridge refuses; only the end of a scope goes on and reports the first refusal. Push and pop are inline.
#pragma once

#include "core/bridge/bridged_scopes.hpp"
#include "core/lookup.hpp"
#include "core/stream/native_map.hpp"
#include "core/thread/scope.hpp"

namespace gs {

inline int32_t depth_of(const CoreThread &core) noexcept { return core.depth.load(std::memory_order_relaxed); }

// For calls that may change a current stream: the wrap of a followed one may not be needed any more.
inline Status begin_bridged(CoreThread &core, BridgeThread **out) noexcept {
    BridgeThread *mine = nullptr;
    GS_TRY(bridge_thread(core, &mine));
    if (mine->inside.load(std::memory_order_relaxed) != 0) return inside_bridge(*mine);
    if (mine->holding.load(std::memory_order_relaxed) != 0) mine->unsettled = true;
    *out = mine;
    return kOk;
}

// A call failed after the core's scope was opened: ends that, and keeps the text of `status`, whatever happens to ours.
Status undo_scope(ThreadBlock &thread, CoreThread &core, Status status) noexcept __attribute__((cold));
// Opens a scope of the core and tells the bridges. *out_stream: held by the scope.
[[gnu::always_inline]] inline Status open_bridged(ThreadBlock &thread, CoreThread &core, BridgeThread &mine,
                                                  uint64_t handle, uint64_t *out_token) noexcept {
    StreamSlot *stream = nullptr;
    const int32_t depth = depth_of(core) + 1;
    {
        CallMark mark(thread);
        GS_TRY(required_stream(thread, handle, &stream));
        if (!stream->immortal()) GS_TRY(remember_native(*stream)); // others will put work into it
        GS_TRY(push_scope(thread, core, *stream, handle, out_token));
    }
    const Scope &scope = innermost_scope(core, depth);
    const Status told = notify_push(mine, scope, *stream->device, depth, stream->native);
    if (!told.ok()) return undo_scope(thread, core, told);
    return kOk;
}

// For a scope that was opened while no bridge was notified, or whose record was dropped.
Status notify_ours(const CoreThread &core, BridgeThread &mine, const Device &target) noexcept;
// The end of a scope goes on after a failure and keeps the first one's text: `popped` is the driver's.
Status notify_after_failure(ThreadBlock &thread, const CoreThread &core, BridgeThread &mine, uint64_t token,
                            const Device &target, Status popped) noexcept __attribute__((cold));
[[gnu::always_inline]] inline Status notify_restored(const CoreThread &core, BridgeThread &mine, uint64_t token,
                                                     const Device &target) noexcept {
    const BridgedScope *record = record_of_scope(mine, token);
    return record != nullptr ? notify_pop(mine, *record) : notify_ours(core, mine, target);
}

[[gnu::always_inline]] inline Status pop_one(ThreadBlock &thread, CoreThread &core, BridgeThread &mine,
                                             uint64_t token) noexcept {
    const int32_t depth = depth_of(core);
    if (!is_innermost(core, depth, token)) return wrong_scope(core, token);
    const Scope &scope = innermost_scope(core, depth);
    const uint64_t innermost = scope.token;
    const Device &target = *scope.target;
    const Status popped = drop_innermost(thread, core, depth);
    if (popped.ok()) return notify_restored(core, mine, innermost, target);
    return notify_after_failure(thread, core, mine, innermost, target, popped);
}

// The last scope that notified bridges has ended.
void rest_after_last() noexcept __attribute__((cold));

[[gnu::always_inline]] inline Status push_bridged(ThreadBlock &thread, CoreThread &core, uint64_t handle,
                                                  uint64_t *out_token) noexcept {
    BridgeThread *mine = nullptr;
    GS_TRY(begin_bridged(core, &mine));
    BridgeWork work(*mine);
    return open_bridged(thread, core, *mine, handle, out_token);
}

[[gnu::always_inline]] inline Status pop_bridged(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept {
    BridgeThread *mine = nullptr;
    GS_TRY(begin_bridged(core, &mine));
    Status status = kOk;
    {
        BridgeWork work(*mine);
        status = pop_one(thread, core, *mine, token);
    }
    const bool last = mine->open.load(std::memory_order_relaxed) == 0;
    if (last && g_notified_bridges.load(std::memory_order_relaxed) == 0) rest_after_last();
    return status;
}

Status unwind_bridged(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept;
// out_previous: nullptr, or receives the handle of the stream that was current there, with a reference for the caller.
Status set_bridged(ThreadBlock &thread, CoreThread &core, uint64_t handle, uint64_t *out_previous) noexcept;

// change: set_current_device or go_back_to_device of core/thread. previous: the device that is current.
using DeviceChange = Status (*)(ThreadBlock &thread, Device &device) noexcept;
Status set_device_bridged(ThreadBlock &thread, CoreThread &core, Device &previous, Device &target,
                          DeviceChange change) noexcept;

} // namespace gs
