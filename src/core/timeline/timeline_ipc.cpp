// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/timeline_ipc.hpp"

#include "core/timeline/shared_timeline.hpp"
#include "core/timeline/timeline_life.hpp"
#include "core/timeline/timeline_table.hpp"
#include "core/timeline/timeline_watch.hpp"
#include "core/timeline/watched_timelines.hpp"

namespace gs {
namespace {

Mutex g_open_mutex; // two threads would take part twice

Status publish_shared(SharedTimeline &shared, uint64_t *out_handle) noexcept {
    TimelineSlot *slot = nullptr;
    if (const Status status = take_shared_slot(shared, &slot); !status.ok()) {
        leave_shared_timeline(shared);
        free_shared_timeline(shared);
        return status;
    }
    {
        BriefGuard lock(slot->mutex);
        *out_handle = begin_timeline(*slot, current_value(*slot));
    }
    add_watched(*slot);
    return kOk;
}

bool is_named(const TimelineSlot &slot, const SharedTimelineName &name) noexcept {
    return slot.shared && slot.shared->name.nonce == name.nonce && slot.shared->name.creator == name.creator;
}

// With a further reference, if this process has it open on that backend.
bool retain_open(const Device &device, const SharedTimelineName &name, uint64_t *out_handle) noexcept {
    return visit_watched([&](TimelineSlot &slot) {
        if (slot.device->backend != device.backend || !is_named(slot, name)) return false;
        *out_handle = slot.handle.load(std::memory_order_acquire);
        return *out_handle != 0 && retain_timeline(*out_handle).ok(); // the last reference may go in between
    });
}

} // namespace

Status create_shared(Device &device, uint64_t initial, uint64_t *out_handle) noexcept {
    GS_TRY(check_health(device));
    GS_TRY(start_timeline_watch());
    SharedTimeline *shared = nullptr;
    GS_TRY(make_shared_timeline(device, initial, &shared));
    return publish_shared(*shared, out_handle);
}

Status export_timeline(uint64_t handle, gs_ipc_handle_t *out) noexcept {
    return with_timeline(handle, [&](TimelineSlot &slot) -> Status {
        if (!slot.shared)
            return fail(GS_ERROR_INVALID_ARGUMENT,
                        "the timeline was created without GS_TIMELINE_INTERPROCESS, which an export needs");
        GS_TRY(check_aborted(slot));
        write_shared_name(slot.shared->name.creator, slot.shared->name.nonce, out);
        return kOk;
    });
}

Status open_timeline(Device &device, const gs_ipc_handle_t &handle, uint64_t *out_handle) noexcept {
    SharedTimelineName name;
    GS_TRY(read_shared_name(handle, &name));
    GS_TRY(check_health(device));
    GS_TRY(start_timeline_watch());
    MutexLock lock(g_open_mutex);
    if (retain_open(device, name, out_handle)) return kOk;
    SharedTimeline *shared = nullptr;
    GS_TRY(join_shared_timeline(device, name, &shared));
    if (const gs_status_t status = shared_status(*shared->memory); status != GS_OK) {
        leave_shared_timeline(*shared);
        free_shared_timeline(*shared);
        return aborted_timeline(status, true);
    }
    return publish_shared(*shared, out_handle);
}

} // namespace gs
