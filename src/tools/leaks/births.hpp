// SPDX-License-Identifier: Apache-2.0
// Who made the objects that callers hold, while GPUSTREAM_LEAKS asks for it (leaks.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "handle/slot_map.hpp"
#include "tools/call_stack.hpp"

namespace gs {

// Of an object, or of a block of memory.
struct Maker {
    uint64_t thread = 0; // the operating system's number; 0: not known
    Frames frames;
};
// These three may throw std::bad_alloc.
Maker this_maker();
std::string frame_lines(const Maker &maker);
uint64_t maker_thread(uint64_t handle); // of an object, which may have ended since; 0: not known
void warn_of_unknown_maker() noexcept;  // for want of memory; once

inline constexpr size_t kMostLeaksShown = 100; // of each kind

} // namespace gs

namespace gs::leaks {

void note_birth(const SlotBase &slot, uint64_t handle) noexcept;
void forget_birth(uint64_t handle) noexcept;

} // namespace gs::leaks
