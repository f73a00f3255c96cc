// SPDX-License-Identifier: Apache-2.0
// What the operating system reports about this machine, and its present load.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gs::host {

uint64_t physical_memory_bytes() noexcept;    // never 0
int32_t usable_processors() noexcept;         // of this process; at least 1
int32_t processor_clock_khz() noexcept;       // 0: unknown
uint64_t second_level_cache_bytes() noexcept; // 0: unknown
// What Linux reports in this folder, /sys/devices/system/cpu/cpuN/cache; 0: unknown.
uint64_t second_level_cache_in(const char *folder) noexcept;
void processor_name(char *out, size_t size) noexcept;
// Stable for machine and ordinal: version 8 UUID over the machine's id. False where the machine has none.
bool device_uuid(int32_t ordinal, uint8_t (&out)[16]) noexcept;

// The work that waited or ran over the last minute, per processor; 0 to 100.
bool load_percent(int32_t *out) noexcept;
struct MachineMemory {
    uint64_t available, total; // bytes
};
bool machine_memory(MachineMemory *out) noexcept;
bool warmest_zone_celsius(int32_t *out) noexcept;
bool present_clock_mhz(int32_t *out) noexcept;

} // namespace gs::host
