// SPDX-License-Identifier: Apache-2.0
// Who made the objects that callers hold, while GPUSTREAM_LEAKS asks for it (leaks.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/rare_state.hpp"
#include "core/call_stack.hpp"
#include "handle/slot_map.hpp"

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

inline bool notes_births() noexcept {
    const uint32_t rare = g_rare_state.load(std::memory_order_relaxed) & (kRareBirths | kRareBirthsUndecided);
    return rare != 0;
}
void note_birth_slowly(const SlotBase &slot, uint64_t handle) noexcept __attribute__((cold, noinline));
void forget_birth_slowly(uint64_t handle) noexcept __attribute__((cold, noinline));
// The object is the library's own: it is not a caller's to give back.
inline void forget_birth(uint64_t handle) noexcept {
    if (notes_births()) forget_birth_slowly(handle);
}
// Where an object gets its handle, on the thread that asked for it.
inline void note_birth(const SlotBase &slot, uint64_t handle) noexcept {
    if (notes_births()) note_birth_slowly(slot, handle);
}

} // namespace gs
