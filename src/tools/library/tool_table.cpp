// SPDX-License-Identifier: Apache-2.0
// The way into this library for the core: one table each way (core/seam).
#include <cstring>

#include "base/fork_state.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/seam/core_services.hpp"
#include "tools/check/control.hpp"
#include "tools/leaks/leaks.hpp"
#include "tools/library/core_calls.hpp"
#include "tools/recorder/log_notes.hpp"
#include "tools/tool_locks.hpp"

#define GS_HOOK(part, result, name, parameters, arguments)                                                             \
    namespace gs::part {                                                                                               \
    result name parameters noexcept;                                                                                   \
    }
#include "core/hooks/tool_hooks.inc"
#undef GS_HOOK

namespace gs {
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
