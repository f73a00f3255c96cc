// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/probe.hpp"

#include <dirent.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/dynlib.hpp"
#include "telemetry/visible_order.hpp"

namespace gs::cuda {
namespace {

bool is_device_node(const char *name) noexcept {
    constexpr const char kPrefix[] = "nvidia";
    if (std::strncmp(name, kPrefix, sizeof kPrefix - 1) != 0) return false;
    const char *number = name + sizeof kPrefix - 1; // nvidiactl, nvidia-uvm and the like are no devices
    return *number != '\0' && std::strspn(number, "0123456789") == std::strlen(number);
}

bool is_device_uuid(const char *entry) noexcept {
    return std::strncmp(entry, "GPU-", 4) == 0 || std::strncmp(entry, "MIG-", 4) == 0;
}

} // namespace

int32_t count_device_nodes(const char *folder) noexcept {
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    int32_t nodes = 0;
    bool paravirtual = false;
    while (const dirent *entry = readdir(directory)) {
        if (is_device_node(entry->d_name)) ++nodes;
        if (std::strcmp(entry->d_name, "dxg") == 0) paravirtual = true;
    }
    closedir(directory);
    return nodes > 0 ? nodes : paravirtual ? 1 : 0;
}

int32_t apply_visible_devices(const char *value, int32_t nodes) noexcept {
    if (!value) return nodes;
    int32_t entries = 0;
    while (*value != '\0') {
        while (*value == ' ') ++value;
        if (!is_device_uuid(value)) {
            char *end = nullptr;
            const long index = std::strtol(value, &end, 10);
            if (end == value || index < 0 || index >= nodes) break;
        }
        ++entries;
        value = std::strchr(value, ',');
        if (!value) break;
        ++value;
    }
    return std::min(entries, nodes);
}

namespace {

// -1 where NVML cannot tell.
int32_t count_by_nvml(const ProbeInputs &inputs) noexcept {
    telemetry::NvmlUse nvml;
    telemetry::Inventory inventory;
    std::vector<int32_t> visible;
    if (!nvml.ready().ok() || !telemetry::read_inventory(nvml, &inventory).ok()) return -1;
    const telemetry::DeviceSettings settings{inputs.visible_devices, inputs.device_order};
    if (!telemetry::visible_entries(inventory, settings, &visible).ok()) return -1;
    return static_cast<int32_t>(visible.size());
}

} // namespace

int32_t probe_devices(const ProbeInputs &inputs) noexcept {
    const int32_t nodes = inputs.library_overridden ? 1 : count_device_nodes(inputs.device_folder);
    if (nodes == 0) return 0;
    int32_t count = count_by_nvml(inputs);
    if (count < 0) count = inputs.library_overridden ? nodes : apply_visible_devices(inputs.visible_devices, nodes);
    // The nodes first: without them not even the library is loaded.
    void *library = nullptr;
    return count > 0 && open_library(inputs.library, &library).ok() ? count : 0;
}

} // namespace gs::cuda
