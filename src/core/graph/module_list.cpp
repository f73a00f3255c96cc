// SPDX-License-Identifier: Apache-2.0
#include "core/graph/module_list.hpp"

#include <new>

namespace gs {

Status ModuleList::add(LoadedModule &module) noexcept {
    MutexLock lock(mutex_);
    for (const Entry *entry = first_; entry; entry = entry->next)
        if (&entry->module == &module) return kOk;
    auto *entry = new (std::nothrow) Entry{module, first_};
    if (!entry) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the modules of a graph");
    module.hold();
    first_ = entry;
    return kOk;
}

Status ModuleList::add_all(const ModuleList &other) noexcept {
    const Entry *entry = nullptr;
    {
        MutexLock lock(other.mutex_);
        entry = other.first_;
    }
    for (; entry; entry = entry->next) GS_TRY(add(entry->module)); // entries are only ever added, in front
    return kOk;
}

void ModuleList::let_go() noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

ModuleList::~ModuleList() {
    MutexLock lock(mutex_);
    while (Entry *entry = first_) {
        first_ = entry->next;
        entry->module.let_go_later();
        delete entry;
    }
}

} // namespace gs
