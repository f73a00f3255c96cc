// SPDX-License-Identifier: Apache-2.0
#include "core/work/loaded_module.hpp"

#include "base/last_error.hpp"
#include "base/log.hpp"

namespace gs {

void LoadedModule::let_go() noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    const Status status = device_.backend->module_destroy(device_.ordinal, native_);
    if (!status.ok())
        log_message(GS_LOG_WARNING, "unloading a module of %s device %d failed: %s: %s", device_.backend->name(),
                    device_.ordinal, status_name(status.code), pending_text());
    delete this;
}

} // namespace gs
