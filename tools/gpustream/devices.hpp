// SPDX-License-Identifier: Apache-2.0
// What the library reports about devices; unknown values are distinct from numbers.
#pragma once

#include <gpustream.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace command {

struct Telemetry {
    std::optional<int32_t> utilization_percent, memory_utilization_percent, temperature_celsius, power_milliwatts,
        sm_clock_mhz;
    struct Memory {
        uint64_t used, free, total;
    };
    std::optional<Memory> memory;
    std::string trouble; // why nothing is known; empty otherwise
};
Telemetry read_telemetry(gs_device_t device);

// One line per device, and why some have no values.
std::string telemetry_table(const std::vector<std::string> &names, const std::vector<Telemetry> &telemetry);

struct Inventory {
    std::vector<gs_inventory_entry_t> entries;
    std::string trouble; // why there are none
};
Inventory read_inventory();

int32_t device_count(); // of the default backend
std::string last_error_text();
std::string backend_name(gs_backend_t backend);
// Starts the default backend. *out_reason: why it is this one, or why it does not start.
bool start_default_backend(std::string *out_reason);
struct BackendCount {
    std::string name;
    int32_t devices;
};
std::vector<BackendCount> backends_with_devices();
// Bare 8-4-4-4-12 hexadecimal digits.
std::string uuid_text(const uint8_t (&uuid)[16]);

} // namespace command
