// SPDX-License-Identifier: Apache-2.0
// Who made the objects that callers hold, while GPUSTREAM_LEAKS asks for it (leaks.hpp).
#pragma once

#include <cstdint>

#include "handle/slot_map.hpp"
#include "tools/leaks/maker.hpp"

namespace gs {

// May throw std::bad_alloc.
uint64_t maker_thread(uint64_t handle); // of an object, which may have ended since; 0: not known

inline constexpr size_t kMostLeaksShown = 100; // of each kind

} // namespace gs

namespace gs::leaks {

void note_birth(const SlotBase &slot, uint64_t handle) noexcept;
void forget_birth(uint64_t handle) noexcept;

} // namespace gs::leaks
