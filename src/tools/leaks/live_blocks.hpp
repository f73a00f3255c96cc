// SPDX-License-Identifier: Apache-2.0
// The blocks of pools that callers have, for the report of leaks. Asks no driver.
#pragma once

#include "core/memory/device_memory.hpp"

namespace gs::leaks {

// A block was given out, on the thread that asked for it. The lock must not be held.
void note_block_birth(DeviceMemory &memory, const void *address) noexcept;

} // namespace gs::leaks
