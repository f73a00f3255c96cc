// SPDX-License-Identifier: Apache-2.0
#include "base/condition.hpp"

#include "base/futex.hpp"
#include "base/testing.hpp"

namespace gs {

void Condition::sleep(uint32_t turn, uint64_t timeout_ns) noexcept {
    futex_wait(turn_, GS_BUG(LateLookAtTheTurn) ? turn_.load() : turn, timeout_ns);
}

void Condition::wake() noexcept { futex_wake(turn_, kWakeAll); }

} // namespace gs
