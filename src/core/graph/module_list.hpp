// SPDX-License-Identifier: Apache-2.0
// Modules that stay loaded as long as a graph and its executables, which count as holders of the list.
#pragma once

#include <atomic>

#include "base/mutex.hpp"
#include "core/work/loaded_module.hpp"

namespace gs {

class ModuleList {
public:
    // Any thread. The list holds the module from now on, once.
    Status add(LoadedModule &module) noexcept;
    Status add_all(const ModuleList &other) noexcept;
    void hold() noexcept { holders_.fetch_add(1, std::memory_order_relaxed); }
    void let_go() noexcept; // does not wait for the device

private:
    struct Entry {
        LoadedModule *module = nullptr;
        Entry *next = nullptr;
    };
    ~ModuleList();

    std::atomic<uint32_t> holders_{1};
    mutable Mutex mutex_;
    Entry first_ GS_GUARDED_BY(mutex_); // most graphs have kernels of one module
};

inline void let_go_of(ModuleList *&list) noexcept {
    if (list) list->let_go();
    list = nullptr;
}

} // namespace gs
