// SPDX-License-Identifier: Apache-2.0
#include "core/memory/block_names.hpp"

#include <new>
#include <utility>

#include "core/memory/device_memory.hpp"
#include "core/memory/free.hpp"
#include "core/names.hpp"

namespace gs {

Status set_block_name(const void *address, const char *name) noexcept {
    NameText *made = nullptr;
    if (name && *name != '\0') {
        made = new (std::nothrow) NameText;
        if (!made) return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a name");
        make_printable_name(name, made->text);
    }
    Device *device = nullptr;
    const Status status = device_of_block(address, &device);
    if (status.ok()) {
        DeviceMemory &memory = memory_of(*device);
        BriefGuard lock(memory.mutex);
        if (Block *block = memory.table.find(address)) { // else another thread has freed it in between
            block->named = made != nullptr;
            if (made) std::swap(block->name, made);
        }
    }
    delete made; // what was replaced, or not wanted
    return status;
}

} // namespace gs
