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

// "[####    ]"
std::string bar(int32_t percent) {
    std::string text = "[";
    for (int i = 0; i < 8; ++i) text += 100 * i < 8 * percent ? '#' : ' ';
    return text + "]";
}

std::string load(const std::optional<int32_t> &percent) {
    if (!percent) return "-";
    const std::string number = std::to_string(*percent);
    return std::string(number.size() < 3 ? 3 - number.size() : 0, ' ') + number + " % " + bar(*percent);
}

// "4.00 KiB/16.00 MiB"
std::string memory_use(const std::optional<Telemetry::Memory> &memory) {
    return memory ? bytes_text(memory->used) + "/" + bytes_text(memory->total) : "-";
}

} // namespace

std::string telemetry_table(const std::vector<std::string> &names, const std::vector<Telemetry> &telemetry) {
    std::vector<Row> rows{{"dev", "load", "access", "memory used", "temp", "power", "SM clock"}};
    std::string troubles, last;
    for (size_t i = 0; i < names.size(); ++i) {
        const Telemetry &now = telemetry[i];
        rows.push_back({std::to_string(i), load(now.utilization_percent),
                        with_unit(now.memory_utilization_percent, "%"), memory_use(now.memory),
                        with_unit(now.temperature_celsius, "C"), watts(now.power_milliwatts),
                        with_unit(now.sm_clock_mhz, "MHz")});
        if (now.trouble.empty()) continue;
        // A failure that all devices share is shown once.
        troubles += wrapped("device " + std::to_string(i) + ": " + (now.trouble == last ? "the same" : now.trouble), 2,
                            LongWord::Keep);
        last = now.trouble;
    }
    const std::vector<std::string> lines = table_lines(rows);
    std::string text = lines[0];
    for (size_t i = 0; i < names.size(); ++i) text += lines[i + 1] + wrapped("     " + names[i], 5, LongWord::Break);
    return text + troubles;
}

} // namespace command
