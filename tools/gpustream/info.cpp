// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "commands.hpp"
#include "devices.hpp"
#include "queues.hpp"
#include "table.hpp"

namespace command {
namespace {

constexpr const char *kVariables[] = {
#define VARIABLE(name) name,
#include "variable_names.inc"
#undef VARIABLE
};

// Number of devices whose properties fit side by side, with the longest possible texts.
constexpr size_t kSideBySide = 3;

struct Report {
    gs_backend_t backend = GS_BACKEND_DEFAULT;
    bool available = false;
    std::string reason; // of the choice
    std::vector<BackendCount> backends;
    std::string trouble; // of starting the backend
    std::vector<gs_device_info_t> devices;
    std::vector<Telemetry> telemetry;
    long streams = 0;                 // probed of each device
    std::vector<SharedQueues> queues; // of each device, if they were
    Inventory inventory;
};

Report collect(long streams) {
    Report report;
    report.streams = streams;
    int32_t available = 0;
    if (gs_is_available(&available) == GS_OK) report.available = available != 0;
    const bool started = start_default_backend(&report.reason);
    if (!started) report.trouble = report.reason;
    report.backends = backends_with_devices();
    // After the start, when the driver determines which device is which.
    report.inventory = read_inventory();
    if (!started) return report;
    gs_default_backend(&report.backend);
    for (gs_device_t device = 0; device < device_count(); ++device) {
        gs_device_info_t info{};
        info.struct_size = sizeof info;
        if (gs_device_get_info(device, &info) != GS_OK) {
            report.trouble = last_error_text();
            continue;
        }
        report.devices.push_back(info);
        report.telemetry.push_back(read_telemetry(device));
        if (streams != 0) report.queues.push_back(probe_queues(device, static_cast<int32_t>(streams)));
    }
    return report;
}

std::string number_or_null(const std::optional<int32_t> &number) { return number ? std::to_string(*number) : "null"; }
// For values that are never 0 or empty if they are known.
template <typename Number>
std::string known_or_null(Number number) {
    return number != 0 ? std::to_string(number) : "null";
}
std::string known_or_null(const char *text) { return *text ? json_text(text) : "null"; }

std::string pci_text(int32_t has, int32_t domain, int32_t bus, int32_t device) {
    if (!has) return "-";
    char text[32];
    std::snprintf(text, sizeof text, "%04x:%02x:%02x.0", static_cast<unsigned>(domain), static_cast<unsigned>(bus),
                  static_cast<unsigned>(device));
    return text;
}

template <typename Known>
std::string pci_json(const Known &device) {
    if (!device.has_pci) return "null";
    return json_text(pci_text(1, device.pci_domain, device.pci_bus, device.pci_device));
}

// CUDA's numbers (CUcomputemode).
std::string compute_mode_text(int32_t mode) {
    constexpr const char *kModes[] = {"default", "exclusive", "prohibited", "exclusive process"};
    return mode >= 0 && mode < 4 ? kModes[mode] : std::to_string(mode);
}

std::string telemetry_json(const Telemetry &telemetry) {
    JsonObject object;
    object.add("utilization_percent", number_or_null(telemetry.utilization_percent));
    object.add("memory_utilization_percent", number_or_null(telemetry.memory_utilization_percent));
    object.add("temperature_celsius", number_or_null(telemetry.temperature_celsius));
    object.add("power_milliwatts", number_or_null(telemetry.power_milliwatts));
    object.add("sm_clock_mhz", number_or_null(telemetry.sm_clock_mhz));
    object.add("memory_used_bytes", telemetry.memory ? std::to_string(telemetry.memory->used) : "null");
    object.add("memory_free_bytes", telemetry.memory ? std::to_string(telemetry.memory->free) : "null");
    object.add("memory_total_bytes", telemetry.memory ? std::to_string(telemetry.memory->total) : "null");
    return object.str();
}

std::string device_json(const gs_device_info_t &device, const Telemetry &telemetry) {
    JsonObject object;
    object.add_number("ordinal", device.ordinal).add_text("name", device.name);
    object.add("uuid", device.has_uuid ? json_text(uuid_text(device.uuid)) : "null");
    object.add_number("capability_major", device.capability_major)
        .add_number("capability_minor", device.capability_minor);
    object.add_number("total_memory_bytes", device.total_memory_bytes);
    object.add_number("multiprocessor_count", device.multiprocessor_count).add_number("warp_size", device.warp_size);
    object.add_number("max_threads_per_block", device.max_threads_per_block);
    object.add_number("max_threads_per_multiprocessor", device.max_threads_per_multiprocessor);
    object.add_number("regs_per_multiprocessor", device.regs_per_multiprocessor);
    object.add_number("shared_memory_per_block_bytes", device.shared_memory_per_block_bytes);
    object.add_number("shared_memory_per_block_optin_bytes", device.shared_memory_per_block_optin_bytes);
    object.add_number("shared_memory_per_multiprocessor_bytes", device.shared_memory_per_multiprocessor_bytes);
    object.add_number("l2_cache_bytes", device.l2_cache_bytes).add("clock_khz", known_or_null(device.clock_khz));
    object.add("memory_clock_khz", known_or_null(device.memory_clock_khz));
    object.add("memory_bus_width_bits", known_or_null(device.memory_bus_width_bits));
    object.add_number("compute_mode", device.compute_mode).add_flag("integrated", device.integrated != 0);
    object.add_flag("ecc_enabled", device.ecc_enabled != 0).add_flag("is_mig", device.is_mig != 0);
    object.add("pci", pci_json(device));
    object.add("telemetry", telemetry_json(telemetry));
    return object.str();
}

std::string entry_json(const gs_inventory_entry_t &entry) {
    JsonObject object;
    object.add_number("nvml_index", entry.nvml_index);
    object.add("ordinal", entry.ordinal == -2 ? "null" : std::to_string(entry.ordinal));
    const bool told = entry.status == GS_OK;
    object.add_text("status", gs_status_name(entry.status)).add_number("native_code", entry.native_code);
    object.add("name", known_or_null(entry.name)).add("uuid", known_or_null(entry.uuid)).add("pci", pci_json(entry));
    // Known together: no GPU has major capability 0, and a minor capability of 0 is common.
    const bool capable = entry.capability_major != 0;
    object.add("capability_major", capable ? std::to_string(entry.capability_major) : "null");
    object.add("capability_minor", capable ? std::to_string(entry.capability_minor) : "null");
    object.add("total_memory_bytes", known_or_null(entry.total_memory_bytes)).add_flag("is_mig", entry.is_mig != 0);
    object.add_number("mig_index", entry.mig_index);
    object.add("mig_enabled", told ? entry.mig_enabled != 0 ? "true" : "false" : "null");
    return object.str();
}

// The CUDA driver reads this variable when it starts.
constexpr char kQueuesVariable[] = "CUDA_DEVICE_MAX_CONNECTIONS";
bool has_hardware_queues(const Report &report) {
    return !report.devices.empty() && report.devices.front().capability_major != 0;
}
long hardware_queues() {
    const char *text = std::getenv(kQueuesVariable);
    const long number = text ? std::strtol(text, nullptr, 10) : 0;
    return number >= 1 && number <= 32 ? number : 8;
}

void print_json(const Report &report) {
    JsonObject object, environment;
    std::vector<std::string> backends, devices, entries, queues;
    for (const char *name : kVariables)
        if (const char *value = std::getenv(name)) environment.add_text(name, value);
    for (const BackendCount &one : report.backends)
        backends.push_back(JsonObject().add_text("name", one.name).add_number("devices", one.devices).str());
    for (size_t i = 0; i < report.devices.size(); ++i)
        devices.push_back(device_json(report.devices[i], report.telemetry[i]));
    for (const SharedQueues &one : report.queues) queues.push_back(queues_json(one, report.streams));
    for (const gs_inventory_entry_t &entry : report.inventory.entries) entries.push_back(entry_json(entry));
    object.add_text("version", gs_version_string());
    object.add("backend", report.backend ? json_text(backend_name(report.backend)) : "null");
    object.add_text("reason", report.reason)
        .add_flag("available", report.available)
        .add_text("trouble", report.trouble);
    object.add("hardware_queues", has_hardware_queues(report) ? std::to_string(hardware_queues()) : "null");
    object.add("shared_queues", report.streams != 0 ? json_list(queues) : "null");
    object.add("environment", environment.str());
    object.add("backends", json_list(backends)).add("devices", json_list(devices)).add("inventory", json_list(entries));
    object.add_text("inventory_trouble", report.inventory.trouble);
    std::printf("%s\n", object.str().c_str());
}

// Below a device's line, which has no room for them.
std::string names_below(const std::string &name, const std::string &uuid, size_t indent) {
    const std::string both = name + (name.empty() || uuid.empty() ? "" : "  ") + uuid;
    return both.empty() ? "" : wrapped(std::string(indent, ' ') + both, indent, LongWord::Break);
}

void print_devices(const Report &report) {
    std::vector<Row> rows{{"device", "capability", "memory", "SMs", "clock MHz", "ECC", "MIG", "PCI"}};
    for (const gs_device_info_t &device : report.devices)
        rows.push_back({std::to_string(device.ordinal),
                        std::to_string(device.capability_major) + "." + std::to_string(device.capability_minor),
                        bytes_text(device.total_memory_bytes), std::to_string(device.multiprocessor_count),
                        std::to_string(device.clock_khz / 1000), device.ecc_enabled ? "on" : "off",
                        device.is_mig ? "yes" : "no",
                        pci_text(device.has_pci, device.pci_domain, device.pci_bus, device.pci_device)});
    const std::vector<std::string> lines = table_lines(rows);
    std::printf("\n%s", lines[0].c_str());
    for (size_t i = 0; i < report.devices.size(); ++i) {
        const gs_device_info_t &device = report.devices[i];
        const std::string names = names_below(device.name, device.has_uuid ? uuid_text(device.uuid) : "", 8);
        std::printf("%s%s", lines[i + 1].c_str(), names.c_str());
    }
}

// A line per property, a column per device.
void print_limits(const std::vector<gs_device_info_t> &devices, size_t first, size_t end) {
    std::vector<Row> rows{{"device"},       {"warp"},   {"threads/block"}, {"threads/SM"}, {"registers/SM"},
                          {"shared/block"}, {"opt-in"}, {"shared/SM"},     {"L2"},         {"memory MHz"},
                          {"bus bits"},     {"mode"},   {"integrated"}};
    for (size_t i = first; i < end; ++i) {
        const gs_device_info_t &device = devices[i];
        const Row column{std::to_string(device.ordinal),
                         std::to_string(device.warp_size),
                         std::to_string(device.max_threads_per_block),
                         std::to_string(device.max_threads_per_multiprocessor),
                         std::to_string(device.regs_per_multiprocessor),
                         bytes_text(device.shared_memory_per_block_bytes),
                         bytes_text(device.shared_memory_per_block_optin_bytes),
                         bytes_text(device.shared_memory_per_multiprocessor_bytes),
                         bytes_text(device.l2_cache_bytes),
                         std::to_string(device.memory_clock_khz / 1000),
                         std::to_string(device.memory_bus_width_bits),
                         compute_mode_text(device.compute_mode),
                         device.integrated ? "yes" : "no"};
        for (size_t row = 0; row < rows.size(); ++row) rows[row].push_back(column[row]);
    }
    std::printf("\n");
    for (const std::string &line : table_lines(rows)) std::printf("%s", line.c_str());
}

void print_inventory(const Inventory &inventory) {
    if (inventory.entries.empty()) {
        const std::string why = inventory.trouble.empty() ? "none" : inventory.trouble;
        std::printf("\n%s", wrapped("GPUs of this machine: " + why, 2, LongWord::Keep).c_str());
        return;
    }
    std::vector<Row> rows{{"NVML", "device", "memory", "PCI", ""}};
    for (const gs_inventory_entry_t &entry : inventory.entries)
        rows.push_back({std::to_string(entry.nvml_index) + (entry.is_mig ? "." + std::to_string(entry.mig_index) : ""),
                        entry.ordinal >= 0    ? std::to_string(entry.ordinal)
                        : entry.ordinal == -1 ? "-"
                                              : "?",
                        entry.total_memory_bytes != 0 ? bytes_text(entry.total_memory_bytes) : "-",
                        pci_text(entry.has_pci, entry.pci_domain, entry.pci_bus, entry.pci_device),
                        entry.status == GS_OK ? "" : "(cannot be queried)"});
    const std::vector<std::string> lines = table_lines(rows);
    std::printf("\nGPUs of this machine (device: in this process, - not visible, ? not known):\n%s", lines[0].c_str());
    for (size_t i = 0; i < inventory.entries.size(); ++i) {
        const gs_inventory_entry_t &entry = inventory.entries[i];
        std::printf("%s%s", lines[i + 1].c_str(), names_below(entry.name, entry.uuid, 6).c_str());
    }
}

// "host (2 devices), ...": what GPUSTREAM_BACKEND can choose.
std::string backends_text(const std::vector<BackendCount> &backends) {
    std::string text;
    for (const BackendCount &one : backends)
        text += (text.empty() ? "" : ", ") + one.name + " (" + std::to_string(one.devices) +
                (one.devices == 1 ? " device)" : " devices)");
    return text;
}

void print_tables(const Report &report) {
    const std::string backend = "backend " + backend_name(report.backend) + ": " + report.reason;
    std::printf("%s",
                wrapped(std::string("gpustream ") + gs_version_string() + ", " + backend, 2, LongWord::Keep).c_str());
    if (!report.backends.empty())
        std::printf("%s", wrapped("  backends: " + backends_text(report.backends), 4, LongWord::Keep).c_str());
    for (const char *name : kVariables)
        if (const char *value = std::getenv(name))
            std::printf("%s", wrapped(std::string("  ") + name + "=" + value, 4, LongWord::Keep).c_str());
    if (has_hardware_queues(report))
        std::printf("  %ld hardware queues for all streams of a process (%s)\n", hardware_queues(), kQueuesVariable);
    for (size_t i = 0; i < report.queues.size(); ++i)
        std::printf("%s",
                    wrapped(queues_text(report.queues[i], report.devices[i].ordinal, report.streams), 4, LongWord::Keep)
                        .c_str());
    if (!report.trouble.empty() && report.trouble != report.reason)
        std::printf("%s", wrapped("  " + report.trouble, 4, LongWord::Keep).c_str());
    if (!report.devices.empty()) {
        print_devices(report);
        for (size_t i = 0; i < report.devices.size(); i += kSideBySide)
            print_limits(report.devices, i, std::min(i + kSideBySide, report.devices.size()));
        std::vector<std::string> names;
        for (const gs_device_info_t &device : report.devices) names.emplace_back(device.name);
        std::printf("\n%s", telemetry_table(names, report.telemetry).c_str());
    }
    print_inventory(report.inventory);
}

} // namespace

int info(const InfoOptions &options) {
    const Report report = collect(options.streams);
    if (options.as_json)
        print_json(report);
    else
        print_tables(report);
    return report.devices.empty() ? 1 : 0;
}

} // namespace command
