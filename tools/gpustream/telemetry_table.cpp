// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "devices.hpp"
#include "table.hpp"

namespace command {
namespace {

std::string with_unit(const std::optional<int32_t> &number, const char *unit) {
    return number ? std::to_string(*number) + " " + unit : "-";
}

std::string watts(const std::optional<int32_t> &milliwatts) {
    if (!milliwatts) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%.1f W", *milliwatts / 1000.0);
    return text;
}

// "[#####     ]"
std::string bar(const std::optional<int32_t> &percent) {
    if (!percent) return "";
    std::string text = "[";
    for (int i = 0; i < 20; ++i) text += 5 * i < *percent ? '#' : ' ';
    return text + "]";
}

} // namespace

std::string telemetry_table(const std::vector<std::string> &names, const std::vector<Telemetry> &telemetry) {
    std::vector<Row> rows{
        {"device", "name", "load", "", "memory access", "memory used", "of", "temperature", "power", "SM clock"}};
    std::string troubles, last;
    for (size_t i = 0; i < names.size(); ++i) {
        const Telemetry &now = telemetry[i];
        rows.push_back({std::to_string(i), names[i], with_unit(now.utilization_percent, "%"),
                        bar(now.utilization_percent), with_unit(now.memory_utilization_percent, "%"),
                        now.memory ? bytes_text(now.memory->used) : "-",
                        now.memory ? bytes_text(now.memory->total) : "-", with_unit(now.temperature_celsius, "C"),
                        watts(now.power_milliwatts), with_unit(now.sm_clock_mhz, "MHz")});
        if (now.trouble.empty()) continue;
        // What all devices lack is said once.
        troubles += "device " + std::to_string(i) + ": " + (now.trouble == last ? "the same" : now.trouble) + "\n";
        last = now.trouble;
    }
    return format_table(rows) + troubles;
}

} // namespace command
