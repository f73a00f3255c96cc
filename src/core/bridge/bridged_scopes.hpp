// SPDX-License-Identifier: Apache-2.0
// What bridges had before a scope of the core was opened, and how they are notified. The usual case is inline: one bridge,
// and a scope of one device.
#pragma once

#include "core/bridge/bridge_thread.hpp"

namespace gs {

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

// Sets `native`, and the target where the device changed, in every bridge of the target's backend that is notified, and
// records what each had before for the scope with this token and depth. After a failure each has what it had.
// target: the scope's.
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

} // namespace gs
