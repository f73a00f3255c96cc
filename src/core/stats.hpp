// SPDX-License-Identifier: Apache-2.0
// Statistics of gs_get_stats.
#pragma once

#include "base/status.hpp"

namespace gs {

// The sum over all threads since the process began or reset_stats was called.
Status read_stats(gs_stats_t *out) noexcept;
void reset_stats() noexcept;

} // namespace gs
