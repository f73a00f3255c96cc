// SPDX-License-Identifier: Apache-2.0
// Names of ranges and marks, as numbers that fit into an entry of the log. A name is kept once and for the life of the
// process. Reading takes no lock and no memory, and may happen in a signal handler.
#pragma once

#include <cstdint>

#include "core/names.hpp"

namespace gs::recorder {

// The number of a text; that of "..." if there is no room, or no memory, for another one.
uint32_t log_text(const char *text) noexcept;
const char *text_with_number(uint32_t number) noexcept; // "..." if there is none

} // namespace gs::recorder
