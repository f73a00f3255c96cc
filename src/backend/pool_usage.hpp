// SPDX-License-Identifier: Apache-2.0
// What a backend is asked about a pool of its driver's, and what it answers.
#pragma once

#include <cstdint>

namespace gs {

enum class PoolQuestion : uint8_t {
    Reserved,  // the present value alone
    Peak,      // and the peak
    ResetPeak, // the peak is lowered to the present value after reading
};

// What the driver has reserved for a pool, bytes.
struct PoolUsage {
    bool known = false;
    uint64_t reserved = 0;
    uint64_t reserved_peak = 0;
};

} // namespace gs
