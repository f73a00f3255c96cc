// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/discovery/probe.hpp"

#include <dirent.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "backend/cuda/discovery/driver_in_use.hpp"
#include "base/dynlib.hpp"
#include "inventory/vendor.hpp"
#include "inventory/visible_devices.hpp"
#include "inventory/visible_order.hpp"

namespace gs::cuda {
namespace {

bool is_device_node(const char *name) noexcept {
    constexpr const char kPrefix[] = "nvidia";
    if (std::strncmp(name, kPrefix, sizeof kPrefix - 1) != 0) return false;
    const char *number = name + sizeof kPrefix - 1; // nvidiactl, nvidia-uvm and the like are not devices
    return *number != '\0' && std::strspn(number, "0123456789") == std::strlen(number);
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
    using Kind = inventory::VisibleList::Kind;
    inventory::VisibleList list;
    if (!value || !inventory::parse_visible_devices(value, &list).ok()) return nodes;
    size_t taken = list.elements.size();
    if (list.kind == Kind::Numbers) inventory::taken_numbers(list, static_cast<size_t>(nodes), &taken);
    const auto entries = static_cast<int32_t>(std::min(taken, static_cast<size_t>(nodes)));
    return list.kind == Kind::MigInstances ? std::min(entries, 1) : entries; // a process sees one instance
}

namespace {

// -1 where the inventory does not report it.
int32_t count_by_inventory(const ProbeInputs &inputs) noexcept {
    inventory::Inventory inventory;
    std::vector<int32_t> visible;
    inventory::Vendor *vendor = inventory::vendor_of(GS_BACKEND_CUDA);
    if (!vendor || !vendor->read(&inventory).ok()) return -1;
    const inventory::DeviceSettings settings{inputs.visible_devices, inputs.device_order};
    if (!inventory::visible_entries(inventory, settings, &visible).ok()) return -1;
    return static_cast<int32_t>(visible.size());
}

} // namespace

int32_t probe_devices(const ProbeInputs &inputs) noexcept {
    const int32_t nodes = inputs.library_overridden ? 1 : count_device_nodes(inputs.device_folder);
    if (nodes == 0) return 0;
    if (const int32_t count = count_of_driver_in_use(inputs.library); count != kNotInUse) return count;
    int32_t count = count_by_inventory(inputs);
    if (count < 0) count = inputs.library_overridden ? nodes : apply_visible_devices(inputs.visible_devices, nodes);
    // The device nodes first: only where there are some, the library is loaded.
    void *library = nullptr;
    return count > 0 && open_library(inputs.library, &library).ok() ? count : 0;
}

} // namespace gs::cuda
