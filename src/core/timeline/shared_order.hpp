// SPDX-License-Identifier: Apache-2.0
// The order of the signals of a timeline that processes share: what check_signal() is within one process.
#pragma once

#include "base/status.hpp"
#include "core/timeline/shared_layout.hpp"

namespace gs {

// A signal that has to happen before the new one; value 0: none.
struct SignalBefore {
    uint64_t value;
    uint32_t member;
};

// Calls of one member come one at a time. behind: the stream of the signal waits for this value first, 0: for none.
// INVALID_ARGUMENT: it cannot keep the order. FULL.
Status claim_signal(TimelineShared &shared, uint32_t member, uint64_t value, uint64_t behind,
                    SignalBefore *out_before) noexcept;
// It was not submitted after all. Returns whether another signal may wait for it: then the order is broken.
bool unclaim_signal(TimelineShared &shared, uint32_t member, uint64_t value) noexcept;
// A signal of a thread. INVALID_ARGUMENT: it would overtake one that is submitted, or is not above the value.
Status claim_for_thread(TimelineShared &shared, uint32_t member, uint64_t value) noexcept;

} // namespace gs
