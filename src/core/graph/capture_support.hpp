// SPDX-License-Identifier: Apache-2.0
// What beginning, ending and asking about captures have in common.
#pragma once

#include "core/graph/capture_table.hpp"
#include "core/lookup.hpp"

namespace gs {

// NOT_SUPPORTED for a default stream, and for a backend without graphs.
Status graphs_for(StreamSlot &stream, Graphs **out) noexcept;
// NOT_PERMITTED: the stream is not being captured.
Status refuse_idle(const StreamSlot &stream) noexcept;

} // namespace gs
