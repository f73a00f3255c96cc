// SPDX-License-Identifier: Apache-2.0
// The calls that change the current stream or device, while bridges are notified. Ours changes first, and is changed back
// when a bridge refuses; only the end of a scope goes on and reports the first refusal. Push and pop are inline.
#pragma once

#include "core/bridge/bridge_thread.hpp"
#include "core/lookup.hpp"
#include "core/stream/native_map.hpp"
#include "core/thread/scope.hpp"

namespace gs {

// What bridges had before a scope of the core was opened, and how they are notified. The usual case is inline: one bridge,
// and a scope of one device.
Status make_room(BridgeThread &mine, int32_t open) noexcept __attribute__((cold));
// A scope of this depth or above it has ended, so a record that says otherwise is stale.
inline Status new_record(BridgeThread &mine, const Scope &scope, Device &target, int32_t depth,
                         BridgedScope **out) noexcept {
    int32_t open = mine.open.load(std::memory_order_relaxed);
    while (open > 0 && mine.scopes[open - 1].depth >= depth) --open;
    mine.open.store(open, std::memory_order_relaxed);
    if (open == mine.room) GS_TRY(make_room(mine, open));
    BridgedScope &record = mine.scopes[open];
    record.token = scope.token;
    record.depth = depth;
    record.count = 0;
    record.source = scope.source;
    record.target = &target;
    *out = &record;
    return kOk;
}
inline void add_record(BridgeThread &mine) noexcept {
    mine.open.store(mine.open.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}
// Drops the innermost record without restoring anything.
inline void forget_push(BridgeThread &mine) noexcept {
    mine.open.store(mine.open.load(std::memory_order_relaxed) - 1, std::memory_order_release);
}

// Restores what the record has noted, and returns `status` with its text.
Status undo_push(BridgeThread &mine, const BridgedScope &record, Status status) noexcept __attribute__((cold));
Status notify_push_each(BridgeThread &mine, BridgedScope &record, uintptr_t native) noexcept;

// Sets `native`, and the target where the device changed, in every notified bridge of the target's backend. For the
// scope with this token and depth, records what each had before. After a failure each has what it had. `target`
// is the scope's.
[[gnu::always_inline]] inline Status notify_push(BridgeThread &mine, const Scope &scope, Device &target, int32_t depth,
                                                 uintptr_t native) noexcept {
    BridgedScope *record = nullptr;
    GS_TRY(new_record(mine, scope, target, depth, &record));
    const uint32_t told = g_notified_bridges.load(std::memory_order_seq_cst);
    const bool one = (told ^ (told - 1)) > told - 1; // a single bit; std::has_single_bit() would call a function
    if (!one || scope.source != &target) return notify_push_each(mine, *record, native);
    const int place = __builtin_ctz(told);
    SavedStream &saved = record->saved[0];
    saved.place = place;
    {
        Inside inside(mine, place); // for both functions: one that is withdrawn in between is waited for
        const Bridge &bridge = g_bridges[place];
        const BridgeDevice device = target;
        saved.id = id_inside(bridge, device);
        if (saved.id != 0) {
            GS_TRY(get_theirs(bridge, device, &saved.native));
            record->count = 1; // first, so that a bridge which fails although it changed is restored too
            const Status set = set_theirs(bridge, device, native);
            if (!set.ok()) return undo_push(mine, *record, set);
        }
    }
    add_record(mine);
    return kOk;
}

// The record that belongs to this scope, the innermost; nullptr: it was opened while no bridge was notified.
inline const BridgedScope *record_of_scope(const BridgeThread &mine, uint64_t token) noexcept {
    const int32_t open = mine.open.load(std::memory_order_relaxed);
    if (open <= 0) return nullptr;
    const BridgedScope &record = mine.scopes[open - 1];
    return record.token == token ? &record : nullptr;
}
Status restore_each(BridgeThread &mine, const BridgedScope &record) noexcept;
// Restores what the innermost record has noted, and drops it. Goes on after a failure and returns the first.
[[gnu::always_inline]] inline Status notify_pop(BridgeThread &mine, const BridgedScope &record) noexcept {
    Status restored = kOk;
    const bool usual = record.count == 1 && record.source == record.target;
    if (!usual) {
        restored = restore_each(mine, record);
    } else {
        const SavedStream &saved = record.saved[0];
        restored = notify_bridge(mine, saved.place, saved.id, *record.target, saved.native);
    }
    forget_push(mine);
    return restored;
}
// For a scope without a record: the bridges that are notified now get `native`, which is current on the target again.
Status notify_each(BridgeThread &mine, const Device &target, uintptr_t native) noexcept;
// The device has changed. After a failure those that were notified get `previous` again.
Status notify_device(BridgeThread &mine, const Device &previous, const Device &device) noexcept;

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
