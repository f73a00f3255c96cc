// SPDX-License-Identifier: Apache-2.0
#include "api/boundary.hpp"

#include <cstdio>
#include <exception>

#include "base/dynlib.hpp"
#include "core/bridge/follow.hpp"
#include "core/graph/capture_calls.hpp"
#include "core/lookup.hpp"

namespace gs::api {

namespace {

gs_status_t refuse_bad_fork(const char *function) noexcept {
    if (ThreadBlock *thread = this_thread()) {
        fail(GS_ERROR_BAD_FORK,
             "the process was forked after gpustream, or CUDA by another library, had been initialised; start "
             "children by spawn or exec, or fork before the first use")
            .ignore();
        commit_error(*thread, function, GS_ERROR_BAD_FORK);
    }
    return GS_ERROR_BAD_FORK;
}

const Device *device_of_stream(const ThreadBlock &thread, gs_stream_t stream) noexcept {
    const StreamSlot *slot = find_stream(thread, handle_bits(stream));
    return slot ? slot->device : nullptr;
}

const Device *device_of_event(const ThreadBlock &thread, gs_event_t event) noexcept {
    const EventSlot *slot = find_event(thread, handle_bits(event));
    return slot ? slot->device.load(std::memory_order_acquire) : nullptr;
}

// What a failed call was about: where the failure itself named no such object, adds what the call was given. It records
// only what is known without the driver, so it always succeeds.
__attribute__((cold)) void note_given(ThreadBlock &thread, gs_stream_t stream, gs_event_t event,
                                      gs_device_t device) noexcept {
    gs_error_info_t &last = thread.last;
    if (handle_bits(stream) == kCurrentStreamBits) {
        const StreamSlot *slot = known_current_stream(thread);
        stream = slot ? to_handle<gs_stream_t>(slot->handle.load(std::memory_order_relaxed)) : nullptr;
    }
    if (!last.stream) last.stream = stream;
    if (!last.event) last.event = event;
    const Device *found = nullptr;
    if (device == GS_DEVICE_CURRENT) {
        found = known_current_device(thread);
    } else if (device == GS_DEVICE_NONE) {
        const CallMark mark(thread);
        found = device_of_stream(thread, stream);
        if (!found) found = device_of_event(thread, event);
    }
    last.device = found ? device_number(*found) : device;
}

} // namespace

gs_status_t enter_rare_state(const char *function, bool settles) noexcept {
    if (in_bad_fork()) return refuse_bad_fork(function);
    if (ThreadBlock *thread = t_block; settles && thread && thread->core) settle_bridges(*thread, *thread->core);
    return GS_OK;
}

gs_status_t attach_caller(const char *function, bool any) noexcept {
    if (!attach_thread()) return GS_ERROR_OUT_OF_MEMORY; // gs_last_error has a static record for this
    return in_bad_fork() && !any ? refuse_bad_fork(function) : GS_OK;
}

void report_failure(ThreadBlock &thread, gs_status_t code, const char *function, gs_stream_t stream, gs_event_t event,
                    gs_device_t device) noexcept {
    if (code == GS_ERROR_CAPTURING && g_live_captures.load(std::memory_order_relaxed) != 0) {
        note_breaks(thread, function);
        name_beginner(thread, handle_bits(stream));
    }
    commit_error(thread, function, code);
    note_given(thread, stream, event, device);
    if (code == GS_ERROR_STICKY || code == GS_ERROR_TIMEOUT) tools::dump_on_failure(function, code);
}

Status refuse_in_host_function() noexcept {
    return fail(GS_ERROR_NOT_PERMITTED, "not permitted inside a function that gs_stream_launch_host put into a stream");
}

Status refuse_to_block(const ThreadBlock &thread) noexcept {
    if (thread.may_not_block == kSyncForbidden)
        return fail(GS_ERROR_SYNC_FORBIDDEN,
                    "this thread may not wait for device work: %s called gs_forbid_sync(1); gs_forbid_sync(0) ends it",
                    describe_caller(thread.sync_forbidden_by).text);
    const char *refused = "a notification may not block: all notifications wait for it";
    if ((thread.may_not_block & kServing) != 0) refused = "a callback may not block: all callbacks wait for it";
    if ((thread.may_not_block & kHolding) != 0) refused = "a host function may not block: its stream waits for it";
    if ((thread.may_not_block & kInitializing) != 0)
        refused = "a function of gs_call_on_init() may not block: the first calls of other threads wait for it";
    if ((thread.may_not_block & kInBridge) != 0)
        refused = "a function of a bridge may not block: gs_bridge_unregister() waits for it";
    return fail(GS_ERROR_NOT_PERMITTED, "%s", refused);
}

Status refuse_exception() noexcept {
    try {
        throw;
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "an allocation inside gpustream failed");
    } catch (const std::exception &error) {
        return fail(GS_ERROR_INTERNAL, "unexpected: %s", error.what());
    } catch (...) {
        return fail(GS_ERROR_INTERNAL, "unexpected exception");
    }
}

Status null_argument(const char *name) noexcept { return fail(GS_ERROR_INVALID_ARGUMENT, "%s is NULL", name); }

Status unknown_flags(const char *what, uint32_t flags, uint32_t known, const char *names) noexcept {
    char number[16] = ""; // arguments in the wrong order are easier to see in decimals
    if (static_cast<int32_t>(flags) < 0) std::snprintf(number, sizeof number, " (%d)", static_cast<int32_t>(flags));
    return fail(GS_ERROR_INVALID_ARGUMENT, "unknown bits %#x in the %s %#x%s: there are %s", flags & ~known, what,
                flags, number, names);
}

} // namespace gs::api
