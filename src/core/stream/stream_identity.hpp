// SPDX-License-Identifier: Apache-2.0
// Identity of streams, as the bindings' ==, hash and stream_id have it.
#pragma once

#include "core/slots.hpp"

namespace gs {

int64_t stream_id(const StreamSlot &slot) noexcept;
// The same driver stream, whichever handles name it.
bool same_stream(const StreamSlot &a, const StreamSlot &b) noexcept;
uint64_t stream_hash(const StreamSlot &slot) noexcept;

} // namespace gs
