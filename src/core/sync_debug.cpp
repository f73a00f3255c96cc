// SPDX-License-Identifier: Apache-2.0
#include "core/sync_debug.hpp"

#include "base/dynlib.hpp"
#include "base/log.hpp"
#include "base/thread_block.hpp"

namespace gs {

std::atomic<int32_t> g_sync_debug_mode{GS_SYNC_DEBUG_DEFAULT};
std::atomic<int32_t> g_sync_debug_scope{GS_SYNC_SCOPE_TORCH};

namespace {

std::atomic<uintptr_t> g_set_by{0};

}

void note_sync_debug_caller(uintptr_t caller) noexcept { g_set_by.store(caller, std::memory_order_relaxed); }

Status sync_debug_report(SyncCall call, bool goes_on) noexcept {
    // PyTorch checks stream synchronize and blocking copies, which this library does not have. GS_SYNC_SCOPE_ALL covers
    // every call that blocks.
    if (call != SyncCall::Stream && g_sync_debug_scope.load(std::memory_order_relaxed) != GS_SYNC_SCOPE_ALL) return kOk;
    if (g_sync_debug_mode.load(std::memory_order_relaxed) == GS_SYNC_DEBUG_ERROR)
        return fail(
            GS_ERROR_SYNC_FORBIDDEN,
            "called a synchronizing operation: %s set GS_OPTION_SYNC_DEBUG_MODE to 2 (error), 0 allows it again",
            describe_caller(g_set_by.load(std::memory_order_relaxed)).text);
    if (!goes_on) log_message(GS_LOG_WARNING, "called a synchronizing operation");
    return kOk;
}

LimitedWait::LimitedWait(ThreadBlock &thread, uint64_t object, int64_t timeout_ns) noexcept
    : thread_(thread), object_(object), goes_on_(thread.timed_out == object),
      is_slice_(timeout_ns > 0 && g_sync_debug_mode.load(std::memory_order_relaxed) != GS_SYNC_DEBUG_DEFAULT) {
    thread.timed_out = 0;
}

Status LimitedWait::ended(Status status) const noexcept {
    if (status.code == GS_ERROR_TIMEOUT && is_slice_) thread_.timed_out = object_;
    return status;
}

} // namespace gs
