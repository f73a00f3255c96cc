// SPDX-License-Identifier: Apache-2.0
#include "core/bridge/bridged_calls.hpp"

#include "core/bridge/follow.hpp"
#include "core/stream/stream_life.hpp"
#include "core/thread/current_stream.hpp"

namespace gs {
namespace {

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

} // namespace

Status undo_scope(ThreadBlock &thread, CoreThread &core, Status status) noexcept {
    const gs_error_info_t detail = thread.pending;
    pop_scope(thread, core, 0).ignore();
    thread.pending = detail;
    return status;
}

Status notify_ours(const CoreThread &core, BridgeThread &mine, const Device &target) noexcept {
    StreamSlot &again = *current_stream(core, target);
    const Status known = again.immortal() ? kOk : remember_native(again);
    const Status told = notify_each(mine, target, again.native);
    return told.ok() ? known : told;
}

Status notify_after_failure(ThreadBlock &thread, const CoreThread &core, BridgeThread &mine, uint64_t token,
                            const Device &target, Status popped) noexcept {
    const gs_error_info_t detail = thread.pending;
    notify_restored(core, mine, token, target).ignore();
    thread.pending = detail;
    return popped;
}

void rest_after_last() noexcept { rest_bridges(bridges_may_rest); }

Status unwind_bridged(ThreadBlock &thread, CoreThread &core, uint64_t token) noexcept {
    BridgeThread *mine = nullptr;
    GS_TRY(begin_bridged(core, &mine));
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
    if (mine->open.load(std::memory_order_relaxed) == 0 && g_notified_bridges.load(std::memory_order_relaxed) == 0)
        rest_after_last();
    if (!first.ok()) thread.pending = detail;
    return first;
}

Status set_bridged(ThreadBlock &thread, CoreThread &core, uint64_t handle, uint64_t *out_previous) noexcept {
    BridgeThread *mine = nullptr;
    GS_TRY(begin_bridged(core, &mine));
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
    Status status = open_bridged(thread, core, *mine, handle, &token);
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
    GS_TRY(begin_bridged(core, &mine));
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
    if (!status.ok()) return undo_scope(thread, core, status);
    keep_innermost(core);
    return kOk;
}

} // namespace gs
