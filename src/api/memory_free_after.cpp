// SPDX-License-Identifier: Apache-2.0
// Memory that several streams use, or one that is being captured.
#include <memory>
#include <new>
#include <vector>

#include "api/with.hpp"
#include "base/free_list.hpp"
#include "core/completion/completion_calls.hpp"
#include "core/completion/point.hpp"
#include "core/event/event_calls.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/memory/allocate.hpp"

using namespace gs::api;

namespace {

// Memory whose users are being captured. It is freed when the graphs that they are captured into have ended, and the work that
// they have outside of captures is done.
struct LateFree {
    LateFree(Block &memory, uint64_t freeing) noexcept : block(&memory), stream(freeing) {}
    Block *block; // nullptr: it is the caller's again
    const uint64_t stream;
    RefCount holders; // the call, and for each user its graph and its work
};

void drop_holder(void *opaque) {
    auto *late = static_cast<LateFree *>(opaque);
    if (!late->holders.release()) return;
    const std::unique_ptr<LateFree> mine(late);
    if (!late->block) return;
    // Its work is done, which the checker does not see.
    if (tools::observed()) tools::saw_free_fail(late->block->address, late->block->bytes);
    (void)submit_to_stream("gs_free_after", to_handle<gs_stream_t>(late->stream),
                           [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
                               log_lost_memory(*slot.device, free_claimed(thread, slot, *late->block));
                               return kOk;
                           });
}

Status hand_over_free(ThreadBlock &thread, StreamSlot &user, LateFree &late) noexcept {
    bool kept = false;
    late.holders.retain();
    Status status = never_captured(user) ? kOk : keep_in_capture(thread, user, drop_holder, &late, &kept);
    if (kept) late.holders.retain();
    // Else the capture is broken, or the driver's graph must end before its memory does.
    if (status.ok() || status.code == GS_ERROR_NOT_SUPPORTED)
        status = defer(thread, user, drop_holder, &late, InCapture::Outlast);
    if (!status.ok()) drop_holder(&late);
    return status;
}

Status free_late(ThreadBlock &thread, void *pointer, uint64_t stream, const std::vector<StreamSlot *> &users,
                 LateFree **out) noexcept {
    Block *block = nullptr;
    GS_TRY(claim_block(pointer, &block));
    Status status = kOk;
    *out = new (std::nothrow) LateFree(*block, stream);
    if (!*out) status = fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a free after a capture");
    for (size_t i = 0; i < users.size() && status.ok(); ++i) status = hand_over_free(thread, *users[i], **out);
    if (status.ok()) return kOk;
    if (*out) (*out)->block = nullptr;
    unclaim_block(*block);
    return status;
}

// CAPTURING: the user is being captured. The user's record must be known to be outside of captures, because a wait for
// it could pull the waiting stream into a capture that begins at this moment.
Status follow_user(ThreadBlock &thread, StreamSlot &stream, StreamSlot &user) noexcept {
    GS_TRY(check_health(user));
    uintptr_t event = 0;
    GS_TRY(take_native_event(*user.device, 0, &event));
    thread.counters.waits.add();
    Status status = record_native(thread, user, event);
    if (status.ok()) {
        mark_used(stream);
        stream.last_wait.store(user.handle.load(std::memory_order_relaxed), std::memory_order_relaxed);
        if (user.reachable.load(std::memory_order_relaxed)) stream.reachable.store(true, std::memory_order_relaxed);
        status = stream.backend->wait_on_healthy(thread, stream.ref(), event);
    }
    give_native_event(*user.device, 0, event);
    return status;
}

// *out_stream, in which the memory is to be freed, has been made to wait for the users. With *out_late it is freed later.
Status follow_users(ThreadBlock &thread, void *pointer, const std::vector<StreamSlot *> &users, uint64_t freeing,
                    LateFree **out_late) {
    StreamSlot *stream = nullptr;
    std::vector<StreamSlot *> captured; // bad_alloc becomes OUT_OF_MEMORY in boundary()
    captured.reserve(users.size());
    GS_TRY(required_stream(thread, freeing, &stream));
    GS_TRY(check_health(*stream));
    for (const StreamSlot *user : users)
        if (user->backend != stream->backend)
            return fail(GS_ERROR_DEVICE_MISMATCH, "the memory at %p is of the %s backend, a stream of the %s backend",
                        pointer, stream->backend->name(), user->backend->name());
    for (StreamSlot *user : users) {
        const Status status = follow_user(thread, *stream, *user);
        if (status.code == GS_ERROR_CAPTURING)
            captured.push_back(user);
        else
            GS_TRY(status);
    }
    return captured.empty() ? kOk : free_late(thread, pointer, freeing, captured, out_late);
}

} // namespace

extern "C" {

gs_status_t gs_free_after(void *pointer, const gs_stream_t *streams, size_t count) {
    uint64_t last = 0;
    LateFree *late = nullptr;
    gs_status_t status = boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(streams);
        if (count == 0) return fail(GS_ERROR_INVALID_ARGUMENT, "count is 0: no stream is named");
        if (count > PTRDIFF_MAX / sizeof *streams)
            return fail(GS_ERROR_INVALID_ARGUMENT, "%zu streams: more than any array has", count);
        const Status made =
            pointer ? free_stream(thread, pointer, &last) : kOk; // streams are checked before the memory
        CallMark mark(thread);
        std::vector<StreamSlot *> users(count);
        for (size_t i = 0; i < count; ++i) GS_TRY(optional_stream(thread, handle_bits(streams[i]), &users[i]));
        GS_TRY(made);
        return pointer ? follow_users(thread, pointer, users, last, &late) : kOk;
    });
    if (late) drop_holder(late);
    if (status != GS_OK || !pointer || late) return status;
    size_t freed = 0;
    if (tools::observed()) {
        for (size_t i = 0; i < count; ++i) tools::saw_wait_stream(last, handle_bits(streams[i]));
        freed = tools::before_free(last, pointer);
    }
    status =
        submit_to_stream(__func__, to_handle<gs_stream_t>(last), [&](ThreadBlock &thread, StreamSlot &slot) -> Status {
            Block *block = nullptr;
            GS_TRY(claim_block(pointer, &block));
            return free_claimed(thread, slot, *block);
        });
    if (tools::observed() && status == GS_OK) tools::saw_free(last, pointer);
    if (freed != 0 && status != GS_OK) tools::saw_free_fail(pointer, freed);
    return status;
}

} // extern "C"
