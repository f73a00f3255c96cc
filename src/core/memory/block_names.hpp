// SPDX-License-Identifier: Apache-2.0
// Names of the blocks that callers have of pools, for the report of leaks.
#pragma once

#include "base/status.hpp"

namespace gs {

// nullptr and "": no name. INVALID_ARGUMENT: there is no such block. OUT_OF_MEMORY.
Status set_block_name(const void *address, const char *name) noexcept;

} // namespace gs
