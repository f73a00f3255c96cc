// SPDX-License-Identifier: Apache-2.0
#include "tools/library/core_calls.hpp"

#include "core/seam/core_services.hpp"

#if defined(GPUSTREAM_TOOLS_LIBRARY)

#include <cstdarg>
#include <cstdio>

#include "core/event/event_calls.hpp"
#include "core/fork_locks.hpp"
#include "core/lookup.hpp"
#include "core/open_ranges.hpp"
#include "core/timeline/timeline_calls.hpp"

namespace gs {
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

// Threads that come at once have the same core, or the second one is refused. The table is whole, as in model first_record_is_seen_whole.
bool bind_core(const CoreServices *core) noexcept {
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

} // namespace gs

#else

namespace gs {

bool bind_core(const CoreServices *) noexcept { return true; } // one program: the names are the core's

} // namespace gs

#endif
