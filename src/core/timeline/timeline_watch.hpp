// SPDX-License-Identifier: Apache-2.0
// The thread that looks after the timelines which this process shares: whether the others live, whether one has aborted
// it, and when what has ended can be unmapped.
#pragma once

#include "base/status.hpp"

namespace gs {

// Starts the thread if it does not run yet.
Status start_timeline_watch() noexcept;

} // namespace gs
