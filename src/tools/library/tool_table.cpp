// SPDX-License-Identifier: Apache-2.0
// The way into this library for the core: one table each way (core/seam).
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/fork_state.hpp"
#include "core/event/event_calls.hpp"
#include "core/fork_locks.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/lookup.hpp"
#include "core/open_ranges.hpp"
#include "core/seam/core_services.hpp"
#include "core/timeline/timeline_calls.hpp"
#include "tools/check/checker.hpp"
#include "tools/leaks/leaks.hpp"
#include "tools/recorder/log_notes.hpp"
#include "tools/tool_locks.hpp"

#define GS_HOOK(part, result, name, parameters, arguments)                                                             \
    namespace gs::part {                                                                                               \
    result name parameters noexcept;                                                                                   \
    }
#include "core/hooks/tool_hooks.inc"
#undef GS_HOOK

namespace gs {

// This library's end of core/seam/core_services.inc: calls of functions of the core, by the table that the core has given.
#if defined(GPUSTREAM_TOOLS_LIBRARY)

namespace {

std::atomic<const CoreServices *> g_core{nullptr};

} // namespace

#define GS_SERVICE(result, name, parameters, arguments)                                                                \
    result name parameters noexcept { return g_core.load(std::memory_order_relaxed)->name arguments; }
#define GS_SERVICE_DATA(type, name) type *name##_in_core;
#include "core/seam/core_services.inc"
#undef GS_SERVICE
#undef GS_SERVICE_DATA

Status LockedGraph::find(uint64_t handle) noexcept { return lock_graph(*this, handle); }
Status NodeTable::number_of(uintptr_t native, gs_node_t *out) noexcept { return number_of_node(*this, native, out); }

#define GS_TEXT(bytes)                                                                                                 \
    char text[bytes];                                                                                                  \
    va_list arguments;                                                                                                 \
    va_start(arguments, format);                                                                                       \
    std::vsnprintf(text, sizeof text, format, arguments);                                                              \
    va_end(arguments)

Status fail(gs_status_t code, const char *format, ...) noexcept {
    GS_TEXT(sizeof gs_error_info_t{}.message);
    return fail_with_text(code, text);
}

Status fail_system(const char *function, int error_number, const char *format, ...) noexcept {
    GS_TEXT(sizeof gs_error_info_t{}.message);
    return fail_system_with_text(function, error_number, text);
}

void log_message(int32_t level, const char *format, ...) noexcept {
    GS_TEXT(600); // as the core's
    log_text_message(level, text);
}

void LaterMessages::end() noexcept { end_later_messages(*this); }

// False: this library serves another copy of the core already. Threads that come at once have the same core, or the second one
// is refused. The table is whole, as in model first_record_is_seen_whole.
static bool bind_core(const CoreServices *core) noexcept {
    const CoreServices *none = nullptr;
    if (!g_core.compare_exchange_strong(none, core, std::memory_order_acq_rel) && none != core) return false;
    static const bool bound = [](const CoreServices &table) noexcept {
#define GS_SERVICE(result, name, parameters, arguments)
#define GS_SERVICE_DATA(type, name) name##_in_core = table.name##_in_core;
#include "core/seam/core_services.inc"
#undef GS_SERVICE
#undef GS_SERVICE_DATA
        return true;
    }(*core);
    return bound;
}

#else

static bool bind_core(const CoreServices *) noexcept { return true; } // one program: the names are the core's

#endif

namespace {

bool g_environment_read GS_GUARDED_BY(g_environment_mutex) = false;

// Other threads wait until all of it is decided. The core sends what is logged here once the lock is free.
void read_environment() noexcept {
    if (in_bad_fork()) return;
    guard_tool_locks();
    MutexLock lock(g_environment_mutex);
    if (g_environment_read) return;
    check::read_checker_environment();
    recorder::read_log_environment();
    read_leaks_environment();
    g_environment_read = true;
}

constexpr ToolHooks kHooks = {
    .read_environment = read_environment,
#define GS_HOOK(part, result, name, parameters, arguments) .name = part::name,
#include "core/hooks/tool_hooks.inc"
#undef GS_HOOK
};

} // namespace

const ToolHooks *attach_tools(const char *build_id, const CoreServices *core) {
    return std::strcmp(build_id, kBuildId) == 0 && bind_core(core) ? &kHooks : nullptr;
}

} // namespace gs

#if defined(GPUSTREAM_TOOLS_LIBRARY)
extern "C" {
__attribute__((visibility("default"))) const char *gs_tools_build_id() { return gs::kBuildId; }
__attribute__((visibility("default"))) const gs::ToolHooks *gs_tools_attach(const char *build_id,
                                                                            const gs::CoreServices *core) {
    return gs::attach_tools(build_id, core);
}
}
#endif
