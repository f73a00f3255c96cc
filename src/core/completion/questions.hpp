// SPDX-License-Identifier: Apache-2.0
// What the scanner asks the driver about the points of a lane.
#pragma once

#include "core/completion/lanes.hpp"

namespace gs {

// Is the first point of the lane reached, or will it never be? Then its outcome says so. *pending: a point of the lane that was asked
// about since the caller's turn began and is not reached; nullptr at first.
bool ask_first(ThreadBlock &thread, Lane &lane, const Point **pending) noexcept;

} // namespace gs
