// SPDX-License-Identifier: Apache-2.0
// Who destroys the driver's stream behind a foreign or given-up one: code outside the library, or a release function that
// the library calls after the last reference.
#pragma once

#include "core/slots.hpp"

namespace gs {

struct ReleaseFunction {
    void (*fn)(void *) = nullptr;
    void *arg = nullptr;
};

// The library takes the stream over: release will be called. INVALID_ARGUMENT when it is the library's own, or was taken
// over before. The caller owns a reference to the stream.
Status take_over(StreamSlot &slot, ReleaseFunction release) noexcept;

// The opposite: nothing that the library does will destroy the driver's stream any more. INVALID_ARGUMENT when it already
// belongs to other code, or to the driver. NOT_SUPPORTED: other handles share it. The caller owns a reference.
Status give_up(StreamSlot &slot) noexcept;

} // namespace gs
