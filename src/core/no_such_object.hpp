// SPDX-License-Identifier: Apache-2.0
// Why a call refuses a number as a handle, or finds none for a new object, with the next step. One place for all kinds of
// object.
#pragma once

#include "base/status.hpp"
#include "handle/handle_bits.hpp"

namespace gs {

// INVALID_HANDLE: no object of the kind lives under this handle.
Status no_such_object(Kind wanted, uint64_t handle) noexcept __attribute__((cold));

// OUT_OF_MEMORY: a slot for another object could not be taken, for want of memory or of handles.
Status no_slot(Kind wanted) noexcept __attribute__((cold));

} // namespace gs
