// SPDX-License-Identifier: Apache-2.0
#include "base/condition.hpp"

#include "base/futex.hpp"

namespace gs {

void Condition::sleep(uint32_t turn, uint64_t timeout_ns) noexcept { futex_wait(turn_, turn, timeout_ns); }

void Condition::wake() noexcept { futex_wake(turn_, kWakeAll); }

} // namespace gs
