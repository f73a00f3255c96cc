// SPDX-License-Identifier: Apache-2.0
#include "core/bridge/bridged_calls.hpp"

#include "core/bridge/bridged_scopes.hpp"
#include "core/bridge/follow.hpp"
#include "core/lookup.hpp"
#include "core/stream/native_map.hpp"
#include "core/stream/stream_life.hpp"
#include "core/thread/current_stream.hpp"
#include "core/thread/scope.hpp"

namespace gs {
namespace {

int32_t depth_of(const CoreThread &core) noexcept { return core.depth.load(std::memory_order_relaxed); }

// Keeps the text of `status`, whatever happens to ours.
Status undone(ThreadBlock &thread, CoreThread &core, Status status) noexcept {
    const gs_error_info_t detail = thread.pending;
    pop_scope(thread, core, 0).ignore();
    thread.pending = detail;
    return status;
}

// Opens a scope of the core and tells the bridges. *out_stream: held by the scope.
[[gnu::always_inline]] inline Status open(ThreadBlock &thread, CoreThread &core, BridgeThread &mine, uint64_t handle, uint64_t *out_token) noexcept {
    StreamSlot *stream = nullptr;
    {
        CallMark mark(thread);
        GS_TRY(required_stream(thread, handle, &stream));
        if (!stream->immortal()) GS_TRY(remember_native(*stream)); // others will put work into it
        GS_TRY(push_scope(thread, core, *stream, handle, out_token));
    }
    const int32_t depth = depth_of(core);
    const Status told = notify_push(mine, innermost_scope(core, depth), depth, stream->native);
    if (__builtin_expect(!told.ok(), 0)) return undone(thread, core, told);
    return kOk;
}

// gs_set_current_stream makes the device the thread's own choice, also where it was current only because the driver's
// context says so.
Status choose_device(ThreadBlock &thread, CoreThread &core) noexcept {
    const Scope &scope = innermost_scope(core, depth_of(core));
    if (scope.device_was_set) return kOk;
    Device &target = *scope.target;
    core.device = nullptr;
    const Status status = set_current_device(thread, target);
    core.device = &target;
    return status;
}

// The scope was opened while no bridge was notified, or its record was dropped.
__attribute__((noinline)) Status notify_ours(const CoreThread &core, BridgeThread &mine,
                                             const Device &target) noexcept {
    StreamSlot &again = *current_stream(core, target);
    const Status known = again.immortal() ? kOk : remember_native(again);
    const Status told = notify_each(mine, target, again.native);
    return told.ok() ? known : told;
}

[[gnu::always_inline]] inline Status notify_restored(const CoreThread &core, BridgeThread &mine, uint64_t token,
                              const Device &target) noexcept {
    const BridgedScope *record = record_of_scope(mine, token);
    return __builtin_expect(record != nullptr, 1) ? notify_pop(mine, *record) : notify_ours(core, mine, target);
}

[[gnu::always_inline]] inline Status pop_one(ThreadBlock &thread, CoreThread &core, BridgeThread &mine, uint64_t token) noexcept {
    const int32_t depth = depth_of(core);
    if (depth == 0) return pop_scope(thread, core, token); // reports it
    const Scope &scope = innermost_scope(core, depth);
    const uint64_t innermost = scope.token;
    const Device &target = *scope.target;
    const Status popped = pop_scope(thread, core, token);
    if (__builtin_expect(popped.ok(), 1)) return notify_restored(core, mine, innermost, target);
    if (popped.code == GS_ERROR_SCOPE) return popped;
    const gs_error_info_t detail = thread.pending;
    notify_restored(core, mine, innermost, target).ignore(); // the driver's refusal is the one to report
    thread.pending = detail;
    return popped;
}

void rest_if_last(const BridgeThread &mine) noexcept {
    if (mine.open.load(std::memory_order_relaxed) == 0 && g_notified_bridges.load(std::memory_order_relaxed) == 0)
        rest_bridges(bridges_may_rest);
}

// For calls that may change a current stream: the wrap of a followed one may not be needed any more.
inline Status begin(CoreThread &core, BridgeThread **out) noexcept {
    GS_TRY(refuse_inside_bridge(&core));
    GS_TRY(bridge_thread(core, out));
    if ((*out)->holding.load(std::memory_order_relaxed) != 0) (*out)->unsettled = true;
    return kOk;
}

} // namespace

Status push_bridged(ThreadBlock &thread, CoreThread &core, uint64_t handle, uint64_t *out_token) noexcept {
    BridgeThread *mine = nullptr;
    GS_TRY(begin(core, &mine));
    BridgeWork work(*mine);
    return open(thread, core, *mine, handle, out_token);
}

Status pop_bridged(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept {
    BridgeThread *mine = nullptr;
    GS_TRY(begin(core, &mine));
    Status status = kOk;
    {
        BridgeWork work(*mine);
        status = pop_one(thread, core, *mine, token);
    }
    rest_if_last(*mine);
    return status;
}

Status unwind_bridged(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept {
    BridgeThread *mine = nullptr;
    GS_TRY(begin(core, &mine));
    const Scope *scope = nullptr;
    int32_t found = depth_of(core);
    while (scope_at(core, found, &scope) && scope->token != token) --found;
    if (found == 0) return unwind_scopes(thread, core, token); // reports it
    Status first = kOk;
    gs_error_info_t detail;
    {
        BridgeWork work(*mine);
        while (depth_of(core) >= found) {
            const Status status = pop_one(thread, core, *mine, 0);
            if (status.ok() || !first.ok()) continue;
            first = status;
            detail = thread.pending;
        }
    }
    rest_if_last(*mine);
    if (!first.ok()) thread.pending = detail;
    return first;
}

Status set_bridged(ThreadBlock &thread, CoreThread &core, uint64_t handle, uint64_t *out_previous) noexcept {
    BridgeThread *mine = nullptr;
    GS_TRY(begin(core, &mine));
    BridgeWork work(*mine);
    uint64_t previous = 0;
    if (out_previous) {
        StreamSlot *stream = nullptr;
        Device *device = nullptr;
        {
            CallMark mark(thread);
            GS_TRY(required_stream(thread, handle, &stream));
            device = stream->device;
        }
        GS_TRY(follow_now(thread, core, *device));
        previous = current_stream(core, *device)->handle.load(std::memory_order_relaxed);
        GS_TRY(retain_stream(thread, previous));
    }
    uint64_t token = 0;
    Status status = open(thread, core, *mine, handle, &token);
    if (status.ok()) {
        status = choose_device(thread, core);
        if (status.ok()) {
            forget_push(*mine);
            keep_innermost(core);
        } else {
            const gs_error_info_t detail = thread.pending;
            pop_one(thread, core, *mine, token).ignore();
            thread.pending = detail;
        }
    }
    if (status.ok() && out_previous) *out_previous = previous;
    if (!status.ok() && previous) release_stream(thread, previous).ignore(); // taken above: cannot be missing
    return status;
}

Status set_device_bridged(ThreadBlock &thread, CoreThread &core, Device &previous, Device &target,
                          DeviceChange change) noexcept {
    BridgeThread *mine = nullptr;
    GS_TRY(begin(core, &mine));
    BridgeWork work(*mine);
    // The scope remembers everything that the change of the device may have to undo.
    StreamSlot &present = *current_stream(core, previous);
    uint64_t token = 0;
    {
        CallMark mark(thread);
        GS_TRY(push_scope(thread, core, present, present.handle.load(std::memory_order_relaxed), &token));
    }
    if (!innermost_scope(core, depth_of(core)).device_was_set) core.device = nullptr;
    Status status = change(thread, target);
    if (status.ok() && &previous != &target) status = notify_device(*mine, previous, target);
    if (!status.ok()) return undone(thread, core, status);
    keep_innermost(core);
    return kOk;
}

} // namespace gs
