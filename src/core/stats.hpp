// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/mutex.hpp"
#include "base/status.hpp"

namespace gs {

// The sum over all threads since the process began or reset_stats was called.
Status read_stats(gs_stats_t *out) noexcept;
void reset_stats() noexcept;
Mutex &stats_mutex() noexcept; // for guard_locks_in_fork

} // namespace gs
