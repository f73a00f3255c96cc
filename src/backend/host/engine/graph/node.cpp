// SPDX-License-Identifier: Apache-2.0
#include "backend/host/engine/graph/node.hpp"

#include "backend/host/engine/memory_table.hpp"

namespace gs::host {

Work::~Work() {
    if (task_.drop) task_.drop(task_.arg);
}

bool Work::make(Task *out) noexcept {
    if (task_.copy) {
        void *arg = task_.copy(task_.arg);
        if (!arg) return false;
        *out = {task_.run, task_.drop, arg};
        return true;
    }
    retain();
    const auto run = [](void *work) { static_cast<Work *>(work)->task_.run(static_cast<Work *>(work)->task_.arg); };
    const auto drop = [](void *work) { static_cast<Work *>(work)->release(); };
    *out = {run, drop, this};
    return true;
}

GraphBlock::~GraphBlock() { MemoryTable::release(pointer); }

} // namespace gs::host
