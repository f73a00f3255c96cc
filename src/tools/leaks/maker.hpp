// SPDX-License-Identifier: Apache-2.0
// Which thread made something, and from where.
#pragma once

#include <cstdint>
#include <string>

#include "tools/call_stack.hpp"

namespace gs {

// Of an object, or of a block of memory.
struct Maker {
    uint64_t thread = 0; // the operating system's number; 0: not known
    Frames frames;
};
// Both may throw std::bad_alloc.
Maker this_maker();
std::string frame_lines(const Maker &maker);
void warn_of_unknown_maker() noexcept; // for want of memory; once

} // namespace gs
