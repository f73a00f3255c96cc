// SPDX-License-Identifier: Apache-2.0
#include "api/with.hpp"
#include "backend/registry.hpp"
#include "base/dynlib.hpp"
#include "base/sized_struct.hpp"
#include "core/completion/pace.hpp"
#include "core/event/event_cache.hpp"
#include "core/event/event_hot.hpp"
#include "core/fork_locks.hpp"
#include "core/memory/pools.hpp"
#include "core/random/random_words.hpp"
#include "core/runtime.hpp"
#include "core/stream/stream_life.hpp"
#include "core/sync_debug.hpp"
#include "core/thread/current_stream.hpp"
#include "core/timeline/timeline_calls.hpp"
#include "core/token/token_slot.hpp"
#include "core/work/kernels.hpp"

using namespace gs::api;

namespace {

gs_stats_t g_zero GS_GUARDED_BY(g_stats_mutex){}; // what was counted before the last reset

gs_stats_t sum() noexcept {
    gs_stats_t total{};
    for (const ThreadBlock *thread = all_thread_blocks(); thread; thread = thread->next) {
#define GS_X(name) total.name += thread->counters.name.get();
        GS_COUNTERS(GS_X)
#undef GS_X
    }
    return total;
}

// The sum over all threads since the process began or reset_stats was called.
Status read_stats(gs_stats_t *out) noexcept {
    gs_stats_t total = sum();
    guard_locks_in_fork();
    {
        MutexLock lock(g_stats_mutex);
#define GS_X(name) total.name -= g_zero.name;
        GS_COUNTERS(GS_X)
#undef GS_X
    }
    return write_sized(out, total);
}

void reset_stats() noexcept {
    guard_locks_in_fork();
    MutexLock lock(g_stats_mutex);
    g_zero = sum();
}

struct Option {
    const char *name;
    const char *values;
    int32_t last;
    std::atomic<int32_t> *place;
};
constexpr Option kOptions[] = {
    // by GS_OPTION_*
    {"GS_OPTION_SYNC_DEBUG_MODE", "0 (default), 1 (warn) and 2 (error)", GS_SYNC_DEBUG_ERROR, &g_sync_debug_mode},
    {"GS_OPTION_SYNC_DEBUG_SCOPE", "0 (torch) and 1 (all)", GS_SYNC_SCOPE_ALL, &g_sync_debug_scope},
    {"GS_OPTION_UNRECORDED_MODE", "0 (ignore), 1 (warn) and 2 (error)", GS_UNRECORDED_ERROR, &g_unrecorded_mode},
    {"GS_OPTION_WAIT_MODE", "0 (driver), 1 (spin), 2 (block) and 3 (adaptive)", GS_WAIT_ADAPTIVE, &g_wait_mode},
};

Status find(int32_t option, const Option **out) noexcept {
    if (option < GS_OPTION_SYNC_DEBUG_MODE || option > GS_OPTION_WAIT_MODE)
        return fail(GS_ERROR_INVALID_ARGUMENT, "there is no option %d: there are %d to %d (GS_OPTION_*)", option,
                    GS_OPTION_SYNC_DEBUG_MODE, GS_OPTION_WAIT_MODE);
    *out = &kOptions[option];
    return kOk;
}

} // namespace

extern "C" {

gs_status_t gs_init(void) {
    return boundary<Rule::Device>(__func__, [](ThreadBlock &) { return ensure_initialized(); });
}

gs_status_t gs_is_initialized(int32_t *out_initialized) {
    return boundary<Rule::Any>(__func__, GS_OUT(out_initialized), [&](ThreadBlock &) -> Status {
        *out_initialized = is_initialized() ? 1 : 0;
        return kOk;
    });
}

gs_status_t gs_is_available(int32_t *out_available) {
    return boundary<Rule::Any>(__func__, GS_OUT(out_available), [&](ThreadBlock &) -> Status {
        bool available = false; // found without initialisation, so that a fork after it stays healthy
        GS_TRY(is_accelerator_available(&available));
        *out_available = available ? 1 : 0;
        return kOk;
    });
}

gs_status_t gs_call_on_init(gs_status_t (*fn)(void *arg), void *arg) {
    return boundary<Rule::Device>(__func__, [&](ThreadBlock &thread) -> Status {
        GS_INPUT(fn);
        return call_on_init(thread, fn, arg);
    });
}

gs_status_t gs_fork_status(int32_t *out_status) {
    return boundary<Rule::Any>(__func__, GS_OUT(out_status), [&](ThreadBlock &) -> Status {
        *out_status = in_bad_fork() ? GS_FORK_CHILD_OF_INITIALIZED : GS_FORK_CLEAN;
        return kOk;
    });
}

GS_RARE gs_status_t gs_set_option(int32_t option, int64_t value) {
    const uintptr_t caller = GS_CALLED_FROM();
    return boundary<Rule::Any>(__func__, [&](ThreadBlock &) -> Status {
        const Option *found = nullptr;
        GS_TRY(find(option, &found));
        if (value < 0 || value > found->last)
            return fail(GS_ERROR_INVALID_ARGUMENT, "option %s has no value %lld: the values are %s", found->name,
                        static_cast<long long>(value), found->values);
        if (option == GS_OPTION_SYNC_DEBUG_MODE) note_sync_debug_caller(caller);
        found->place->store(static_cast<int32_t>(value), std::memory_order_relaxed);
        return kOk;
    });
}

gs_status_t gs_get_option(int32_t option, int64_t *out_value) {
    return boundary<Rule::Any>(__func__, GS_OUT(out_value), [&](ThreadBlock &) -> Status {
        const Option *found = nullptr;
        GS_TRY(find(option, &found));
        *out_value = option == GS_OPTION_WAIT_MODE ? wait_mode() : found->place->load(std::memory_order_relaxed);
        return kOk;
    });
}

gs_status_t gs_get_stats(gs_stats_t *out_stats) {
    return boundary<Rule::Any>(__func__, [&](ThreadBlock &) -> Status {
        GS_INPUT(out_stats);
        return read_stats(out_stats);
    });
}

gs_status_t gs_reset_stats(void) {
    return boundary<Rule::Any>(__func__, [](ThreadBlock &) {
        reset_stats();
        return kOk;
    });
}

gs_status_t gs_trim(void) {
    return boundary<Rule::Device>(__func__, [](ThreadBlock &thread) -> Status {
        // Without a device there is nothing to give back. A fork may come now, and its child find the locks below as they are.
        if (!any_backend_started()) return kOk;
        trim_streams(thread);
        unload_unneeded();
        trim_timelines(thread);
        trim_tokens(thread);
        RandomWords::trim(thread);
        CoreThread *core = core_thread(thread);
        if (!core) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the thread's state");
        const Status events = trim_events(thread, core->events);
        const Status memory = trim_memory(thread);
        return memory.ok() ? events : memory;
    });
}

gs_status_t gs_forbid_sync(int32_t on, int32_t *out_previous) {
    const uintptr_t caller = GS_CALLED_FROM();
    return boundary<Rule::Any>(__func__, GS_OUT(out_previous), [&](ThreadBlock &thread) -> Status {
        constexpr uint32_t kAll = GS_FORBID_SYNC | GS_FORBID_AS_NOTIFICATION | GS_FORBID_AS_HOST_FUNCTION;
        GS_TRY(check_flags("bits of a thread", static_cast<uint32_t>(on), kAll,
                           "GS_FORBID_SYNC 1, GS_FORBID_AS_NOTIFICATION 2 and GS_FORBID_AS_HOST_FUNCTION 4"));
        const uint32_t before = thread.may_not_block / kSyncForbidden & kAll; // the bits of both stand in one order
        static_assert(kServing / kSyncForbidden == uint32_t{GS_FORBID_AS_NOTIFICATION});
        static_assert(kHolding / kSyncForbidden == uint32_t{GS_FORBID_AS_HOST_FUNCTION});
        *out_previous = static_cast<int32_t>(before);
        if ((on & GS_FORBID_SYNC) != 0) thread.sync_forbidden_by = caller;
        const uint32_t now = static_cast<uint32_t>(on) | (on == GS_FORBID_SYNC ? before : 0);
        thread.may_not_block =
            static_cast<uint8_t>((thread.may_not_block & ~(kAll * kSyncForbidden)) | now * kSyncForbidden);
        return kOk;
    });
}

} // extern "C"
