// SPDX-License-Identifier: Apache-2.0
#include "core/graph/module_list.hpp"

#include <new>

namespace gs {

Status ModuleList::add(LoadedModule &module) noexcept {
    MutexLock lock(mutex_);
    for (const Entry *entry = &first_; entry && entry->module; entry = entry->next)
        if (entry->module == &module) return kOk;
    if (first_.module) {
        auto *entry = new (std::nothrow) Entry{first_.module, first_.next};
        if (!entry) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the modules of a graph");
        first_.next = entry;
    }
    module.hold();
    first_.module = &module;
    return kOk;
}

Status ModuleList::add_all(const ModuleList &other) noexcept {
    Entry entry;
    {
        MutexLock lock(other.mutex_);
        entry = other.first_;
    }
    // What is behind the first entry does not change: others are added in front of it.
    for (const Entry *each = &entry; each && each->module; each = each->next) GS_TRY(add(*each->module));
    return kOk;
}

void ModuleList::let_go() noexcept {
    if (holders_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

ModuleList::~ModuleList() {
    MutexLock lock(mutex_);
    if (first_.module) first_.module->let_go_later();
    while (Entry *entry = first_.next) {
        first_.next = entry->next;
        entry->module->let_go_later();
        delete entry;
    }
}

} // namespace gs
