// SPDX-License-Identifier: Apache-2.0
// How threads wait: gs_set_wait_mode(), GPUSTREAM_WAIT, GPUSTREAM_WAIT_CPU.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/status.hpp"

namespace gs {

int32_t wait_mode() noexcept; // GS_WAIT_*
void set_wait_mode(int32_t mode) noexcept;

// Percent of a processor that may be spent on spinning.
uint32_t wait_share_percent() noexcept;

} // namespace gs
