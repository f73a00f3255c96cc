// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/shared_timeline.hpp"

#include <memory>
#include <new>

#include "base/last_error.hpp"
#include "base/log.hpp"
#include "base/shared_sweep.hpp"
#include "core/this_process.hpp"

namespace gs {
namespace {

struct Unmap {
    void operator()(SharedTimeline *timeline) const noexcept { free_shared_timeline(*timeline); }
};
using Mapped = std::unique_ptr<SharedTimeline, Unmap>;

Status new_shared_timeline(Device &device, Mapped *out) noexcept {
    out->reset(new (std::nothrow) SharedTimeline);
    if (!*out) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a timeline of several processes");
    (*out)->device = &device;
    return kOk;
}

Status register_page(SharedTimeline &timeline) noexcept {
    Device &device = *timeline.device;
    void *address = nullptr;
    timeline.registered = true; // a call that fails may have done it
    GS_TRY(device.backend->register_words(device.ordinal, timeline.memory, kWordPageBytes, &address));
    timeline.word = {&timeline.memory->word, address};
    if (device.backend->has_wide_values(device.ordinal)) return kOk;
    return fail(GS_ERROR_NOT_SUPPORTED,
                "%s device %d has no stream memory operations of 64 bits, which timelines of several processes need",
                device.backend->name(), device.ordinal);
}

// Leaves the failure alone that the caller may be about to return.
bool unregister_page(const SharedTimeline &timeline) noexcept {
    if (!timeline.registered) return true;
    const Device &device = *timeline.device;
    gs_error_info_t &pending = this_thread()->pending;
    const gs_error_info_t before = pending;
    const Status status = device.backend->unregister_words(device.ordinal, timeline.memory);
    if (!status.ok())
        log_message(GS_LOG_WARNING, "unregistering a timeline's memory of %s device %d failed: %s: %s",
                    device.backend->name(), device.ordinal, status_name(status.code), pending_text());
    pending = before;
    return status.ok();
}

Status map_timeline(const SharedTimelineName &name, SharedTimeline &timeline) noexcept {
    timeline.name = {nullptr, name.creator, name.nonce, kTimelineFileBytes, kTimelinePurpose};
    GS_TRY(shared_directory(&timeline.name.directory));
    void *memory = nullptr;
    const Status status = open_shared_file(timeline.name, &memory);
    if (status.code == GS_ERROR_PEER_LOST && !is_dead(name.creator))
        return fail(GS_ERROR_INVALID_HANDLE, "all processes have given the timeline up: its file is gone");
    GS_TRY(status);
    timeline.memory = static_cast<TimelineShared *>(memory);
    const TimelineShared &found = *timeline.memory;
    if (found.magic == TimelineShared::kMagic && found.version == TimelineShared::kVersion && found.nonce == name.nonce)
        return kOk;
    return fail(GS_ERROR_INVALID_ARGUMENT, "the timeline's file is not one of this version of gpustream");
}

} // namespace

Status make_shared_timeline(Device &device, uint64_t initial, SharedTimeline **out) noexcept {
    Mapped made;
    GS_TRY(new_shared_timeline(device, &made));
    SharedFile name{nullptr, {}, 0, kTimelineFileBytes, kTimelinePurpose};
    GS_TRY(shared_directory(&name.directory));
    GS_TRY(this_process(&name.creator));
    GS_TRY(make_nonce(kTimelinePurpose, &name.nonce));
    void *memory = nullptr;
    GS_TRY(create_shared_file_swept(name, &memory));
    made->name = name;
    made->memory = static_cast<TimelineShared *>(memory);
    if (const Status status = register_page(*made); !status.ok()) {
        unlink_shared_file(name);
        return status;
    }
    TimelineShared &shared = *made->memory;
    shared.word = initial;
    shared.nonce = name.nonce;
    found_members(shared, name.creator);
    shared.version = TimelineShared::kVersion;
    shared.magic = TimelineShared::kMagic;
    sweep_shared_once(name.directory);
    *out = made.release();
    return kOk;
}

Status join_shared_timeline(Device &device, const SharedTimelineName &name, SharedTimeline **out) noexcept {
    ProcessIdentity self;
    GS_TRY(this_process(&self));
    if (name.creator.pid_namespace != self.pid_namespace)
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "the timeline comes from another pid namespace: its process cannot be watched");
    Mapped mapped;
    GS_TRY(new_shared_timeline(device, &mapped));
    GS_TRY(map_timeline(name, *mapped));
    // First: who takes part has the memory for its streams.
    GS_TRY(register_page(*mapped));
    GS_TRY(join_members(*mapped->memory, self, &mapped->member));
    *out = mapped.release();
    return kOk;
}

void leave_shared_timeline(SharedTimeline &timeline) noexcept {
    TimelineShared &memory = *timeline.memory;
    // Those that have ended leave no more.
    if (leave_members(memory, timeline.member) || !has_living_member(memory, timeline.name.creator))
        unlink_shared_file(timeline.name);
}

void free_shared_timeline(SharedTimeline &timeline) noexcept {
    if (timeline.memory && unregister_page(timeline)) unmap_shared_file(timeline.name, timeline.memory);
    delete &timeline;
}

} // namespace gs
