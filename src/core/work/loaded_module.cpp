// SPDX-License-Identifier: Apache-2.0
#include "core/work/loaded_module.hpp"

#include "base/last_error.hpp"
#include "base/lock.hpp"
#include "base/log.hpp"

namespace gs {
namespace {

Mutex g_unneeded_mutex;
LoadedModule *g_unneeded GS_GUARDED_BY(g_unneeded_mutex) = nullptr;
LoadedModule *g_kept GS_GUARDED_BY(g_unneeded_mutex) =
    nullptr; // found by checkers of memory, which take no module for lost

} // namespace

void LoadedModule::let_go() noexcept {
    if (holders_.release()) unload();
}

void LoadedModule::let_go_later() noexcept {
    if (!holders_.release()) return;
    MutexLock lock(g_unneeded_mutex);
    next_ = g_unneeded;
    g_unneeded = this;
}

void LoadedModule::hold_for_ever() noexcept {
    MutexLock lock(g_unneeded_mutex);
    if (is_kept_) return;
    is_kept_ = true;
    hold();
    next_ = g_kept;
    g_kept = this;
}

void unload_unneeded() noexcept {
    LoadedModule *first = nullptr;
    {
        MutexLock lock(g_unneeded_mutex);
        first = g_unneeded;
        g_unneeded = nullptr;
    }
    while (LoadedModule *module = first) {
        first = module->next_;
        module->unload();
    }
}

void LoadedModule::unload() noexcept {
    const Status status = device_.backend->module_destroy(device_.ordinal, native_);
    if (!status.ok())
        log_message(GS_LOG_WARNING, "unloading a module of %s device %d failed: %s: %s", device_.backend->name(),
                    device_.ordinal, status_name(status.code), pending_text());
    delete this;
}

} // namespace gs
