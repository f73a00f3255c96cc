// SPDX-License-Identifier: Apache-2.0
// Foreign streams that were wrapped while they were being captured. A driver must not be asked for the device and context
// of such a stream: some of the questions break the capture. The caller's word is taken, and the stream is checked by the
// first call after the capture that uses it.
//
// The health word of such a stream is its own `late`, which is never 0, so that each call comes to check_health_slowly and
// streams that were checked at once pay nothing.
#pragma once

#include "core/slots.hpp"

namespace gs {

// The slot is bound and not published yet.
void postpone_check(StreamSlot &slot) noexcept;

// The stream is still one whose device and context are not known.
inline bool check_is_due(const StreamSlot &slot) noexcept {
    return slot.late.load(std::memory_order_relaxed) == kLateDue;
}

} // namespace gs
