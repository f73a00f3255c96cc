// SPDX-License-Identifier: Apache-2.0
#include "core/event/elision.hpp"

#include "base/env.hpp"

namespace gs {

std::atomic<int8_t> g_elide{-1};

bool elision_enabled() noexcept {
    const bool enabled = env_number(Variable::Elide, 1, 0, 1) != 0;
    g_elide.store(enabled ? 1 : 0, std::memory_order_relaxed);
    return enabled;
}

} // namespace gs
