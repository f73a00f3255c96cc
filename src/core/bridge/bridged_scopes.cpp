// SPDX-License-Identifier: Apache-2.0
#include "core/bridge/bridged_scopes.hpp"

#include <algorithm>
#include <new>

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

} // namespace gs
