// SPDX-License-Identifier: Apache-2.0
// The present load of this machine, as the operating system reports it.
#pragma once

#include <cstdint>

namespace gs::host {

// The work that waited or ran over the last minute, per processor; 0 to 100.
bool load_percent(int32_t *out) noexcept;
struct MachineMemory {
    uint64_t available, total; // bytes
};
bool machine_memory(MachineMemory *out) noexcept;
bool warmest_zone_celsius(int32_t *out) noexcept;
bool present_clock_mhz(int32_t *out) noexcept;

} // namespace gs::host
