// SPDX-License-Identifier: Apache-2.0
// Sleeping on a 32-bit word. Limits are counted by CLOCK_MONOTONIC (futex(2): relative timeouts of FUTEX_WAIT).
#pragma once

#include <atomic>
#include <cstdint>

namespace gs {

// Sleeps while the word is `expected`, until woken; may return early. timeout_ns 0: no limit.
// shared: the word lies in memory shared with other processes.
void futex_wait(const std::atomic<uint32_t> &word, uint32_t expected, uint64_t timeout_ns = 0,
                bool shared = false) noexcept;
void futex_wake(const std::atomic<uint32_t> &word, int32_t count, bool shared = false) noexcept;
inline constexpr int32_t kWakeAll = 0x7fffffff;

} // namespace gs
