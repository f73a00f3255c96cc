// SPDX-License-Identifier: Apache-2.0
// Raw handles that are known outside: of our streams that were given out, and of foreign ones that are wrapped. Wrapping one
// returns the same stream.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Marks the stream exported. OUT_OF_MEMORY when the map cannot grow.
Status remember_native_once(StreamSlot &slot) noexcept __attribute__((cold));
inline Status remember_native(StreamSlot &slot) noexcept {
    return __builtin_expect(slot.exported.load(std::memory_order_acquire), 1) ? kOk : remember_native_once(slot);
}
// Called after the handle was cleared.
void forget_native(StreamSlot &slot) noexcept;
// Enters the wrap of a foreign stream, just published. *out_first stays false, and nothing is entered, if there is another
// live stream with this raw handle.
Status enter_native(StreamSlot &slot, uint64_t handle, bool *out_first) noexcept;
// The live stream with this raw handle, under the caller's CallMark; nullptr if none is known. Takes no lock when the same
// was found before.
StreamSlot *find_native(const ThreadBlock &thread, const Backend &backend, uintptr_t native,
                        uint64_t *out_handle) noexcept;

} // namespace gs
