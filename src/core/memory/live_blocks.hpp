// SPDX-License-Identifier: Apache-2.0
// The blocks of pools that callers have, for the report of leaks, and their names. Asks no driver.
#pragma once

#include "core/births.hpp"
#include "core/memory/device_memory.hpp"

namespace gs {

void note_block_birth_slowly(DeviceMemory &memory, const void *address) noexcept __attribute__((cold, noinline));
// A block was given out, on the thread that asked for it. The lock must not be held.
inline void note_block_birth(DeviceMemory &memory, const void *address) noexcept {
    if (notes_births()) note_block_birth_slowly(memory, address);
}

// nullptr and "": no name. INVALID_ARGUMENT: there is no such block. OUT_OF_MEMORY.
Status set_block_name(const void *address, const char *name) noexcept;

} // namespace gs
