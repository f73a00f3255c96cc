// SPDX-License-Identifier: Apache-2.0
#include "core/seam/core_services.hpp"

#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstring>

#include "base/thread_block.hpp"
#include "core/event/event_hot.hpp"
#include "core/fork_locks.hpp"
#include "core/hooks/tool_hooks.hpp"
#include "core/lookup.hpp"
#include "core/open_ranges.hpp"
#include "core/timeline/timeline_calls.hpp"

namespace gs {

Status record_out_of_line(ThreadBlock &thread, EventSlot &event, StreamSlot &stream) noexcept {
    return record_event(thread, event, stream);
}

Status lock_graph(LockedGraph &graph, uint64_t handle) noexcept { return graph.find(handle); }

Status number_of_node(NodeTable &nodes, uintptr_t native, gs_node_t *out) noexcept {
    return nodes.number_of(native, out);
}

Status fail_with_text(gs_status_t code, const char *text) noexcept { return fail(code, "%s", text); }

Status fail_system_with_text(const char *function, int error_number, const char *text) noexcept {
    return fail_system(function, error_number, "%s", text);
}

void end_later_messages(LaterMessages &later) noexcept { later.end(); }
void log_text_message(int32_t level, const char *text) noexcept { log_message(level, "%s", text); }

void call_application(void (*body)(void *context), void *context) noexcept {
    InsideCallback inside;
    body(context);
}

const CoreServices g_core_services = {
#define GS_SERVICE(result, name, parameters, arguments) .name = name,
#define GS_SERVICE_DATA(type, name) .name##_in_core = &name,
#include "core/seam/core_services.inc"
#undef GS_SERVICE
#undef GS_SERVICE_DATA
};

// Finds the library of the tools beside this one and connects both. It takes no lock: the loader has locks of its own, and a thread
// that runs a constructor of another library has them when it calls this one. Several threads may come here at once.

namespace {

std::atomic<const ToolHooks *> g_tools{nullptr};
std::atomic<bool> g_lack_told{false};

#if defined(GPUSTREAM_TESTING)

// Tests have the tools in the same program.
Status load_tools(const ToolHooks **out) noexcept {
    *out = attach_tools(kBuildId, &g_core_services);
    return kOk;
}

#else

constexpr char kToolsName[] = "libgpustream_tools.so.0";

// The file beside the library. False: there is none.
bool is_beside(const char *library, char (&out)[PATH_MAX]) noexcept {
    const char *slash = std::strrchr(library, '/');
    const int length =
        slash ? std::snprintf(out, sizeof out, "%.*s%s", static_cast<int>(slash + 1 - library), library, kToolsName)
              : 0;
    return length > 0 && static_cast<size_t>(length) < sizeof out && access(out, F_OK) == 0;
}

// Beside the path that this library was loaded by, or beside the file that it leads to. A relative path has another meaning once
// the process has another working directory.
bool find_tools(const char *library, char (&out)[PATH_MAX]) noexcept {
    if (library && *library == '/' && is_beside(library, out)) return true;
    char mapped[PATH_MAX];
    return mapped_file(reinterpret_cast<uintptr_t>(&need_tools), mapped, sizeof mapped) && is_beside(mapped, out);
}

Status refuse_build(const char *path, const char *id) noexcept {
    return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_DEFAULT,
                            "'%s' is of build %s, the library of build %s: install both from one package", path, id,
                            kBuildId);
}

Status load_tools(const ToolHooks **out) noexcept {
    if (!may_load_libraries())
        return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_DEFAULT, "%s cannot be loaded in the child of a fork",
                                kToolsName);
    const char *library = code_address(reinterpret_cast<uintptr_t>(&need_tools)).file;
    char path[PATH_MAX];
    if (!find_tools(library, path))
        return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_DEFAULT,
                                "%s is not beside '%s': install the tools of gpustream", kToolsName,
                                library ? library : "the library");
    void *opened = nullptr;
    GS_TRY(open_library(path, &opened));
    const auto id = reinterpret_cast<ToolsBuildId *>(find_symbol(opened, kToolsBuildIdSymbol));
    const auto attach = reinterpret_cast<AttachTools *>(find_symbol(opened, kAttachToolsSymbol));
    if (!id || !attach) return refuse_build(path, "unknown");
    if (std::strcmp(id(), kBuildId) != 0) return refuse_build(path, id());
    *out = attach(kBuildId, &g_core_services);
    if (*out) return kOk;
    return fail_unavailable(GS_REASON_NO_LIBRARY, GS_BACKEND_DEFAULT,
                            "'%s' serves another copy of the library in this process", path);
}

#endif

// The variable that asks for the tools, or kVariables.
int asking_variable() noexcept {
    for (const Variable variable : {Variable::Check, Variable::Log, Variable::LogFile, Variable::DumpSignal,
                                    Variable::DumpOn, Variable::Syncs, Variable::Leaks, Variable::NvtxInjection}) {
        const char *text = env_text(variable);
        if (text && *text != '\0' && std::strcmp(text, "0") != 0) return static_cast<int>(variable);
    }
    return kVariables;
}

// In the child of a bad fork the call itself is refused.
void decide_tools() noexcept {
    const ThreadBlock *thread = this_thread(); // its messages are kept in the block, while the tools read under a lock
    if (!thread || in_bad_fork()) return;
    LaterMessages later;
    const int variable = asking_variable();
    const ToolHooks *tools = nullptr;
    if (variable != kVariables && need_tools(&tools).ok())
        tools->read_environment();
    else if (variable != kVariables && !g_lack_told.exchange(true, std::memory_order_relaxed))
        log_message(GS_LOG_ERROR, "%s is ignored: %s", name_of(static_cast<Variable>(variable)), pending_text());
    // A thread that sees the bit gone sees the table, as in model first_record_is_seen_whole.
    g_rare_state.fetch_and(~uint32_t{kRareToolsUndecided}, std::memory_order_release);
}

} // namespace

// Each sees the whole table, as in model first_record_is_seen_whole.
const ToolHooks *loaded_tools() noexcept { return g_tools.load(std::memory_order_acquire); }

const ToolHooks *asked_tools() noexcept {
    // Pairs with decide_tools(), as in model first_record_is_seen_whole.
    if ((g_rare_state.load(std::memory_order_acquire) & kRareToolsUndecided) != 0) decide_tools();
    return loaded_tools();
}

Status need_tools(const ToolHooks **out) noexcept {
    *out = loaded_tools();
    if (*out) return kOk;
    GS_TRY(load_tools(out));
    g_tools.store(*out, std::memory_order_release); // as in model first_record_is_seen_whole
    return kOk;
}

} // namespace gs

namespace gs::tools {

#define GS_HOOK(part, result, name, parameters, arguments)                                                             \
    result name parameters noexcept {                                                                                  \
        const ToolHooks *hooks = asked_tools();                                                                        \
        return hooks ? hooks->name arguments : result();                                                               \
    }
#include "core/hooks/tool_hooks.inc"
#undef GS_HOOK

} // namespace gs::tools
