// SPDX-License-Identifier: Apache-2.0
// GPUSTREAM_LEAKS: who made the objects that callers hold, and which of them are live when the process exits.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/rare_state.hpp"
#include "handle/slot_map.hpp"

namespace gs {

// The first one of all asks the environment.
void note_birth_slowly(const SlotBase &slot, uint64_t handle) noexcept __attribute__((cold, noinline));
// Where an object gets its handle, on the thread that asked for it.
inline void note_birth(const SlotBase &slot, uint64_t handle) noexcept {
    if (__builtin_expect((g_rare_state.load(std::memory_order_relaxed) & (kRareBirths | kRareBirthsUndecided)) != 0, 0))
        note_birth_slowly(slot, handle);
}

} // namespace gs
