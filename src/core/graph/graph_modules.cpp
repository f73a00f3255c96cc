// SPDX-License-Identifier: Apache-2.0
#include "core/graph/graph_modules.hpp"

#include <new>

#include "base/last_error.hpp"
#include "base/log.hpp"
#include "core/completion/graph_keep.hpp"

namespace gs {
namespace {

Status no_memory_for_modules() noexcept { return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the modules of a graph"); }

GraphSlot &root_of(const GraphSlot &graph) noexcept { return *graph.root.load(std::memory_order_relaxed); }

// The driver counts the executables of other code. If it cannot, the modules stay loaded.
void tie_modules(ThreadBlock &thread, GraphSlot &root) noexcept {
    root.modules->hold();
    const Status status = keep_for_graph(
        thread, *root.graphs, root.native, [](void *list) { static_cast<ModuleList *>(list)->let_go(); }, root.modules);
    if (status.ok() || status.code == GS_ERROR_NOT_SUPPORTED) return;
    log_message(GS_LOG_WARNING, "the modules of a graph stay loaded until the process ends: %s: %s",
                status_name(status.code), pending_text());
}

} // namespace

Status modules_of(ThreadBlock &thread, GraphSlot &graph, ModuleList **out) noexcept {
    GraphSlot &root = root_of(graph);
    if (!root.modules) {
        root.modules = new (std::nothrow) ModuleList;
        if (!root.modules) return no_memory_for_modules();
        if (root.shared) tie_modules(thread, root);
    }
    *out = root.modules;
    return kOk;
}

Status hold_module(ThreadBlock &thread, GraphSlot &graph, LoadedModule &module) noexcept {
    GraphSlot &root = root_of(graph);
    if (!root.modules && !root.shared) {
        root.modules = new (std::nothrow) ModuleList(module);
        return root.modules ? kOk : no_memory_for_modules();
    }
    ModuleList *modules = nullptr;
    GS_TRY(modules_of(thread, root, &modules));
    return modules->add(module);
}

Status modules_of(ExecSlot &exec, ModuleList **out) noexcept {
    if (!exec.modules) exec.modules = new (std::nothrow) ModuleList;
    *out = exec.modules;
    return exec.modules ? kOk : no_memory_for_modules();
}

void take_modules(ExecSlot &exec, const GraphSlot &graph) noexcept {
    if (exec.modules == root_of(graph).modules) return;
    let_go_of(exec.modules);
    exec.modules = root_of(graph).modules;
    if (exec.modules) exec.modules->hold();
}

Status add_modules(ExecSlot &exec, const GraphSlot &graph) noexcept {
    const ModuleList *theirs = root_of(graph).modules;
    if (!theirs || theirs == exec.modules) return kOk;
    ModuleList *ours = nullptr;
    GS_TRY(modules_of(exec, &ours));
    return ours->add_all(*theirs);
}

Status hold_modules_of(ThreadBlock &thread, GraphSlot &graph, const GraphSlot &other) noexcept {
    const ModuleList *theirs = root_of(other).modules;
    if (!theirs) return kOk;
    ModuleList *ours = nullptr;
    GS_TRY(modules_of(thread, graph, &ours));
    return ours->add_all(*theirs);
}

void share_modules(ThreadBlock &thread, GraphSlot &graph) noexcept {
    GraphSlot &root = root_of(graph);
    if (root.shared) return;
    root.shared = true;
    if (root.modules) tie_modules(thread, root);
}

} // namespace gs
