// SPDX-License-Identifier: Apache-2.0
// Who made the objects and the blocks of pools that callers hold, while GPUSTREAM_LEAKS asks for it (leaks.hpp).
#pragma once

#include <cstdint>

#include "core/memory/device_memory.hpp"
#include "handle/slot_map.hpp"
#include "tools/leaks/leaks.hpp"

namespace gs {

// May throw std::bad_alloc.
uint64_t maker_thread(uint64_t handle); // of an object, which may have ended since; 0: not known

inline constexpr size_t kMostLeaksShown = 100; // of each kind

} // namespace gs

namespace gs::leaks {

void note_birth(const SlotBase &slot, uint64_t handle) noexcept;
void forget_birth(uint64_t handle) noexcept;

// A block of a pool was given out, on the thread that asked for it. The lock must not be held. The report asks no driver.
void note_block_birth(DeviceMemory &memory, const void *address) noexcept;

} // namespace gs::leaks
