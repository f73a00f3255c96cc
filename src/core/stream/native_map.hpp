// SPDX-License-Identifier: Apache-2.0
// Raw handles of ours that were given out, so that wrapping one gives the same stream back.
#pragma once

#include "core/slots.hpp"

namespace gs {

// Marks the stream exported. OUT_OF_MEMORY when it could not be remembered.
Status remember_native(StreamSlot &slot) noexcept;
void forget_native(StreamSlot &slot) noexcept;
// The handle number of the live stream with that raw handle, 0 if none is known.
uint64_t find_native(const Backend &backend, uintptr_t native) noexcept;

} // namespace gs
