// SPDX-License-Identifier: Apache-2.0
// Sources: CUDA C++ Programming Guide, "CUDA Environment Variables"; NVIDIA Multi-Instance GPU User Guide, "CUDA Device
// Enumeration": a process sees one MIG instance, and where there are instances it sees no whole GPU.
#include "telemetry/visible_order.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <tuple>

#include "telemetry/visible_devices.hpp"

namespace gs::telemetry {
namespace {

using Indices = std::vector<int32_t>;

const Entry &at(const Inventory &inventory, int32_t index) noexcept {
    return inventory.entries[static_cast<size_t>(index)];
}

// GPUs in the order of their addresses on the bus; the driver passes over those that it cannot open.
Indices usable_gpus(const Inventory &inventory) {
    Indices gpus;
    for (int32_t i = 0; i < inventory.gpus; ++i)
        if (at(inventory, i).handle) gpus.push_back(i);
    const auto address = [&](int32_t index) {
        const Entry &entry = at(inventory, index);
        return std::tuple(entry.pci_domain, entry.pci_bus, entry.pci_device);
    };
    std::stable_sort(gpus.begin(), gpus.end(), [&](int32_t a, int32_t b) { return address(a) < address(b); });
    return gpus;
}

// By default the fastest comes first. Among GPUs of one kind the order on the bus is left.
bool order_is_known(const Inventory &inventory, const Indices &gpus, const char *device_order) noexcept {
    if (device_order && std::strcmp(device_order, "PCI_BUS_ID") == 0)
        return std::all_of(gpus.begin(), gpus.end(), [&](int32_t i) { return at(inventory, i).has_pci; });
    return std::all_of(gpus.begin(), gpus.end(), [&](int32_t i) {
        const std::string &name = at(inventory, i).name;
        return gpus.size() == 1 || (!name.empty() && name == at(inventory, gpus[0]).name);
    });
}

// The instance that stands for a divided GPU; kNotKnown where it has none.
int32_t first_instance(const Inventory &inventory, int32_t gpu) noexcept {
    for (size_t i = static_cast<size_t>(inventory.gpus); i < inventory.entries.size(); ++i)
        if (inventory.entries[i].nvml_index == gpu) return static_cast<int32_t>(i);
    return kNotKnown;
}

// Where one of the GPUs is divided, the process sees its first instance and nothing else.
Indices without_divided(const Inventory &inventory, const Indices &gpus) {
    Indices whole;
    for (const int32_t gpu : gpus) {
        if (!at(inventory, gpu).mig_enabled) {
            whole.push_back(gpu);
        } else if (const int32_t instance = first_instance(inventory, gpu); instance != kNotKnown) {
            return {instance};
        }
    }
    return whole;
}

Indices select_numbers(const Indices &gpus, const VisibleList &list) {
    Indices chosen;
    for (const std::string &element : list.elements) {
        const unsigned long number = std::strtoul(element.c_str(), nullptr, 10); // saturates: out of range either way
        if (number >= gpus.size()) break;
        chosen.push_back(gpus[number]);
    }
    return chosen;
}

Status select_names(const Inventory &inventory, const VisibleList &list, bool instances, Indices *out) {
    std::vector<std::string> uuids;
    Indices positions;
    for (size_t i = 0; i < inventory.entries.size(); ++i) {
        const Entry &entry = inventory.entries[i];
        if (entry.is_mig() != instances || entry.uuid.empty()) continue;
        uuids.push_back(entry.uuid);
        positions.push_back(static_cast<int32_t>(i));
    }
    std::vector<size_t> found;
    GS_TRY(match_uuids(list.elements, uuids, &found));
    for (const size_t position : found) out->push_back(positions[position]);
    return kOk;
}

Status select(const Inventory &inventory, const DeviceSettings &settings, const VisibleList &list, Indices *out) {
    if (list.kind == VisibleList::Kind::MigInstances) {
        if (settings.visible_devices && std::strncmp(settings.visible_devices, "MIG-GPU-", 8) == 0)
            return fail(GS_ERROR_NOT_SUPPORTED, "CUDA_VISIBLE_DEVICES='%s' names a MIG instance by its GPU: which one "
                                                "that is only the driver can tell",
                        settings.visible_devices);
        GS_TRY(select_names(inventory, list, true, out));
        if (out->size() > 1) out->erase(out->begin() + 1, out->end());
        return kOk;
    }
    const Indices gpus = usable_gpus(inventory);
    const bool by_name = list.kind == VisibleList::Kind::Gpus;
    Indices chosen;
    if (by_name) GS_TRY(select_names(inventory, list, false, &chosen));
    if (!by_name) chosen = select_numbers(gpus, list);
    *out = without_divided(inventory, chosen);
    if (!by_name && !order_is_known(inventory, gpus, settings.device_order)) std::fill(out->begin(), out->end(), kNotKnown);
    return kOk;
}

} // namespace

Status visible_entries(const Inventory &inventory, const DeviceSettings &settings, Indices *out) noexcept {
    try {
        out->clear();
        VisibleList list;
        GS_TRY(parse_visible_devices(settings.visible_devices, &list));
        return select(inventory, settings, list, out);
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for a list of devices");
    }
}

} // namespace gs::telemetry
