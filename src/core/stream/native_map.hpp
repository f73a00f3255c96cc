// SPDX-License-Identifier: Apache-2.0
// Raw handles of our streams that were given out, so that wrapping one returns the same stream.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Marks the stream exported. OUT_OF_MEMORY when the map cannot grow.
Status remember_native(StreamSlot &slot) noexcept;
// Called after the handle was cleared.
void forget_native(StreamSlot &slot) noexcept;
// The handle of the live stream with this raw handle; 0 if none is known.
uint64_t find_native(const Backend &backend, uintptr_t native) noexcept;

} // namespace gs
