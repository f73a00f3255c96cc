// SPDX-License-Identifier: Apache-2.0
// Who made the objects that callers hold and the memory that they have, while GPUSTREAM_LEAKS asks for it (tools/leaks).
#pragma once

#include "core/hooks/tool_hooks.hpp"
#include "handle/slot_map.hpp"

namespace gs {

inline bool notes_births() noexcept {
    return (g_rare_state.load(std::memory_order_relaxed) & (kRareBirths | kRareToolsUndecided)) != 0;
}
// The object is the library's own: it is not a caller's to give back.
inline void forget_birth(uint64_t handle) noexcept {
    if (notes_births()) tools::forget_birth(handle);
}
// Where an object gets its handle, on the thread that asked for it.
inline void note_birth(const SlotBase &slot, uint64_t handle) noexcept {
    if (notes_births()) tools::note_birth(slot, handle);
}
// A block was given out, on the thread that asked for it. The lock of the memory must not be held.
inline void note_block_birth(DeviceMemory &memory, const void *address) noexcept {
    if (notes_births()) tools::note_block_birth(memory, address);
}

} // namespace gs
