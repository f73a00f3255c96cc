// SPDX-License-Identifier: Apache-2.0
#include "devices.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace command {
namespace {

constexpr struct {
    gs_backend_t number;
    const char *name;
} kBackends[] = {
#define BACKEND(number, name) {number, name},
#include "backend_names.inc"
#undef BACKEND
};

// How the library begins what it logs when GPUSTREAM_BACKEND=auto finds no accelerator.
constexpr char kChoice[] = "the default backend is ";

} // namespace

Telemetry read_telemetry(gs_device_t device) {
    Telemetry found;
    gs_telemetry_t read{};
    read.struct_size = sizeof read;
    if (gs_device_get_telemetry(device, 0, &read) != GS_OK) {
        found.trouble = last_error_text();
        return found;
    }
    const auto known = [&](uint32_t field, int32_t value) {
        return (read.known & field) != 0 ? std::optional<int32_t>(value) : std::nullopt;
    };
    found.utilization_percent = known(GS_TELEMETRY_UTILIZATION, read.utilization_percent);
    found.memory_utilization_percent = known(GS_TELEMETRY_MEMORY_UTILIZATION, read.memory_utilization_percent);
    found.temperature_celsius = known(GS_TELEMETRY_TEMPERATURE, read.temperature_celsius);
    found.power_milliwatts = known(GS_TELEMETRY_POWER, read.power_milliwatts);
    found.sm_clock_mhz = known(GS_TELEMETRY_SM_CLOCK, read.sm_clock_mhz);
    if ((read.known & GS_TELEMETRY_MEMORY) != 0)
        found.memory = Telemetry::Memory{read.memory_used_bytes, read.memory_free_bytes, read.memory_total_bytes};
    return found;
}

Inventory read_inventory() {
    Inventory found;
    int32_t gpus = 0, entries = 0;
    if (gs_inventory_count(&gpus, &entries) != GS_OK) {
        found.trouble = last_error_text();
        return found;
    }
    for (int32_t i = 0; i < entries; ++i) {
        gs_inventory_entry_t entry{};
        entry.struct_size = sizeof entry;
        // An instance may have been removed.
        if (gs_inventory_get(i, &entry) == GS_OK) found.entries.push_back(entry);
    }
    return found;
}

int32_t device_count() {
    int32_t count = 0;
    return gs_device_count(GS_BACKEND_DEFAULT, &count) == GS_OK ? count : 0;
}

std::string last_error_text() {
    gs_error_info_t info{};
    info.struct_size = sizeof info;
    gs_last_error(&info);
    // Users of the command did not call a function.
    const std::string text = info.message, prefix = std::string(info.function) + ": ";
    return text.compare(0, prefix.size(), prefix) == 0 ? text.substr(prefix.size()) : text;
}

// The header's enumeration, which CMake reads: { {number, name}, ... }.
std::string backend_name(gs_backend_t backend) {
    for (const auto &known : kBackends)
        if (known.number == backend) return known.name;
    return "none";
}

bool start_default_backend(std::string *out_reason) {
    constexpr auto listen = [](void *reason, int32_t level, const char *text) {
        const char *choice = std::strncmp(text, kChoice, std::strlen(kChoice)) == 0 ? std::strstr(text, ": ") : nullptr;
        if (choice)
            *static_cast<std::string *>(reason) = choice + 2;
        else if (level <= GS_LOG_WARNING)
            std::fprintf(stderr, "gpustream: %s\n", text);
    };
    gs_set_log_callback(listen, out_reason);
    const bool started = gs_init() == GS_OK;
    gs_set_log_callback(nullptr, nullptr);
    const char *wanted = std::getenv("GPUSTREAM_BACKEND");
    int32_t available = 0;
    if (!started)
        *out_reason = last_error_text();
    else if (wanted && *wanted && std::strcmp(wanted, "auto") != 0)
        *out_reason = std::string("GPUSTREAM_BACKEND=") + wanted;
    else if (gs_is_available(&available) == GS_OK && available != 0)
        *out_reason = "it has devices";
    else if (out_reason->empty())
        *out_reason = "there is no GPU that the library can use";
    return started;
}

std::vector<BackendCount> backends_with_devices() {
    std::vector<BackendCount> found;
    for (const auto &known : kBackends) {
        int32_t count = 0;
        if (gs_device_count(known.number, &count) == GS_OK && count > 0) found.push_back({known.name, count});
    }
    return found;
}

std::string uuid_text(const uint8_t (&uuid)[16]) {
    std::string text;
    for (int i = 0; i < 16; ++i) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(uuid[i]));
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += digits;
    }
    return text;
}

} // namespace command
