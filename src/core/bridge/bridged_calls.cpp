// SPDX-License-Identifier: Apache-2.0
#include "core/bridge/bridged_calls.hpp"

#include <algorithm>
#include <new>

#include "core/bridge/follow.hpp"
#include "core/stream/stream_life.hpp"
#include "core/thread/current_stream.hpp"

namespace gs {
namespace {

constexpr int32_t kFirstRoom = 16;

// The first of several failures, with its text.
class FirstFailure {
public:
    void add(Status status) noexcept {
        if (status.ok() || !first_.ok()) return;
        first_ = status;
        detail_ = this_thread()->pending;
    }
    Status result() const noexcept {
        if (!first_.ok()) this_thread()->pending = detail_;
        return first_;
    }

private:
    Status first_ = kOk;
    gs_error_info_t detail_; // only with a failure
};

// Calls fn(place) for each bridge that is notified now, until one fails.
template <typename Fn>
Status each_notified(Fn &&fn) noexcept {
    for (uint32_t told = g_notified_bridges.load(std::memory_order_seq_cst); told != 0; told &= told - 1)
        GS_TRY(fn(__builtin_ctz(told)));
    return kOk;
}

// Noted first, so that a bridge which failed although it changed is restored too.
Status notify_one(BridgeThread &mine, BridgedScope &record, int place, uintptr_t native) noexcept {
    SavedStream &saved = record.saved[record.count];
    GS_TRY(ask_bridge(mine, place, *record.target, &saved.native, &saved.id));
    if (saved.id == 0) return kOk;
    saved.place = place;
    ++record.count;
    GS_TRY(notify_bridge(mine, place, saved.id, *record.target, native));
    return record.source != record.target ? notify_bridge_device(mine, place, saved.id, *record.target) : kOk;
}

} // namespace

Status make_room(BridgeThread &mine, int32_t open) noexcept {
    const int32_t room = mine.room ? 2 * mine.room : kFirstRoom;
    auto *grown = new (std::nothrow) BridgedScope[static_cast<size_t>(room)];
    if (!grown) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory to note what bridges have current");
    std::copy_n(mine.scopes, open, grown);
    delete[] mine.scopes;
    mine.scopes = grown;
    mine.room = room;
    return kOk;
}

Status undo_push(BridgeThread &mine, const BridgedScope &record, Status status) noexcept {
    const gs_error_info_t detail = this_thread()->pending;
    restore_each(mine, record).ignore();
    this_thread()->pending = detail;
    return status;
}

Status notify_push_each(BridgeThread &mine, BridgedScope &record, uintptr_t native) noexcept {
    const Status told = each_notified([&](int place) { return notify_one(mine, record, place, native); });
    if (!told.ok()) return undo_push(mine, record, told);
    add_record(mine);
    return kOk;
}

Status restore_each(BridgeThread &mine, const BridgedScope &record) noexcept {
    FirstFailure failure;
    for (int32_t i = record.count - 1; i >= 0; --i) {
        const SavedStream &saved = record.saved[i];
        failure.add(notify_bridge(mine, saved.place, saved.id, *record.target, saved.native));
        if (record.source != record.target)
            failure.add(notify_bridge_device(mine, saved.place, saved.id, *record.source));
    }
    return failure.result();
}

Status notify_each(BridgeThread &mine, const Device &target, uintptr_t native) noexcept {
    FirstFailure failure;
    each_notified([&](int place) {
        failure.add(notify_bridge(mine, place, 0, target, native));
        return kOk;
    }).ignore(); // none of them fails
    return failure.result();
}

Status notify_device(BridgeThread &mine, const Device &previous, const Device &device) noexcept {
    uint32_t done = 0;
    FirstFailure failure;
    failure.add(each_notified([&](int place) {
        done |= uint32_t{1} << place;
        return notify_bridge_device(mine, place, 0, device);
    }));
    if (failure.result().ok()) return kOk;
    for (; done != 0; done &= done - 1) failure.add(notify_bridge_device(mine, __builtin_ctz(done), 0, previous));
    return failure.result();
}

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
