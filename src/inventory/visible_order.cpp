// SPDX-License-Identifier: Apache-2.0
// Sources: CUDA C++ Programming Guide, "CUDA Environment Variables"; NVIDIA Multi-Instance GPU User Guide, "CUDA
// Device Enumeration". A process sees one MIG instance, and no whole GPU where there are instances.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <tuple>

#include "base/sort.hpp"
#include "base/text.hpp"
#include "inventory/visible_devices.hpp"

namespace gs::inventory {
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
        return std::tuple(entry.pci_domain, entry.pci_bus, entry.pci_device, index);
    };
    sort_elements(gpus.data(), gpus.size(), [&](int32_t a, int32_t b) { return address(a) < address(b); });
    return gpus;
}

// By default the fastest comes first. Among GPUs of one kind the order on the bus is left.
bool order_is_known(const Inventory &inventory, const Indices &gpus, const char *device_order) noexcept {
    const auto all = [&](auto &&holds) {
        return std::all_of(gpus.begin(), gpus.end(), [&](int32_t i) { return holds(at(inventory, i)); });
    };
    for (int32_t i = 0; i < inventory.gpus; ++i)
        if (at(inventory, i).is_doubtful()) return false;
    if (gpus.size() < 2) return true;
    if (!all([](const Entry &gpu) { return gpu.has_pci; })) return false;
    if (device_order && std::strcmp(device_order, "PCI_BUS_ID") == 0) return true;
    const std::string &name = at(inventory, gpus[0]).name;
    return !name.empty() && all([&](const Entry &gpu) { return gpu.name == name; });
}

// The instance that stands for a divided GPU; kNotKnown where it has none.
int32_t first_instance(const Inventory &inventory, int32_t gpu) noexcept {
    for (size_t i = static_cast<size_t>(inventory.gpus); i < inventory.entries.size(); ++i)
        if (inventory.entries[i].gpu == gpu) return static_cast<int32_t>(i);
    return kNotKnown;
}

// Where one of the GPUs is divided, the process sees only its first instance.
Indices without_divided(const Inventory &inventory, const Indices &gpus) {
    Indices whole;
    for (const int32_t gpu : gpus) {
        if (!at(inventory, gpu).divided) {
            whole.push_back(gpu);
        } else if (const int32_t instance = first_instance(inventory, gpu); instance != kNotKnown) {
            return {instance};
        }
    }
    return whole;
}

Indices select_numbers(const Indices &gpus, const VisibleList &list) {
    size_t taken = 0;
    const auto &numbers = taken_numbers(list, gpus.size(), &taken);
    Indices chosen;
    for (size_t i = 0; i < taken; ++i) chosen.push_back(gpus[std::strtoul(numbers[i].c_str(), nullptr, 10)]);
    return chosen;
}

// The devices that a list of names may mean.
struct Named {
    std::vector<std::string> uuids;
    Indices positions;
    bool complete = true; // every device that may be meant is in the list
};

Named named_devices(const Inventory &inventory, bool instances) {
    Named named;
    for (size_t i = 0; i < inventory.entries.size(); ++i) {
        const Entry &entry = inventory.entries[i];
        const bool doubtful = entry.is_doubtful() || (entry.handle && entry.uuid.empty());
        if (instances && entry.is_doubtful()) named.complete = false;
        if (entry.is_instance() != instances) continue;
        if (doubtful) named.complete = false;
        if (entry.uuid.empty()) continue;
        named.uuids.push_back(entry.uuid);
        named.positions.push_back(static_cast<int32_t>(i));
    }
    return named;
}

// The older name of an instance, "MIG-GPU-<uuid>/<gpu instance>/<compute instance>", as its UUID. *complete false: it
// may be one of those whose ids are not reported. (Old vendor libraries report the older names as UUIDs.)
std::string present_name(const Inventory &inventory, const Named &named, const std::string &name, bool *complete) {
    for (const std::string &uuid : named.uuids)
        if (uuid.starts_with(name)) return name;
    for (const Entry &entry : inventory.entries) {
        if (!entry.is_instance()) continue;
        const std::string &gpu = at(inventory, entry.gpu).uuid;
        if (gpu.empty() || entry.gpu_instance < 0 || entry.compute_instance < 0) {
            *complete = false;
        } else if (name == "MIG-" + gpu + "/" + decimal(static_cast<uint64_t>(entry.gpu_instance)) + "/" +
                               decimal(static_cast<uint64_t>(entry.compute_instance))) {
            return entry.uuid.empty() ? name : entry.uuid;
        }
    }
    return name;
}

Status select_names(const Inventory &inventory, const VisibleList &list, bool instances, Indices *out) {
    constexpr size_t kWhole = 40; // characters of "GPU-" or "MIG-" and a UUID
    Named named = named_devices(inventory, instances);
    std::vector<std::string> names = list.elements;
    // A bare prefix is the beginning of every name; the driver takes it for no device, even if there is only one.
    constexpr size_t kPrefix = 4;
    names.erase(
        std::find_if(names.begin(), names.end(), [](const std::string &name) { return name.size() == kPrefix; }),
        names.end());
    for (std::string &name : names)
        if (name.starts_with("MIG-GPU-")) name = present_name(inventory, named, name, &named.complete);
    std::vector<size_t> found;
    GS_TRY(match_uuids(names, named.uuids, &found));
    const bool whole =
        std::all_of(names.begin(), names.end(), [](const std::string &name) { return name.size() >= kWhole; });
    // A name that was not found, or the beginning of one, may be that of a device with an unreported name.
    if (!named.complete && (found.size() < names.size() || !whole))
        return fail(GS_ERROR_NOT_SUPPORTED,
                    "%s does not report the name of every device, so only the driver knows which ones "
                    "CUDA_VISIBLE_DEVICES names",
                    inventory.source);
    for (const size_t position : found) out->push_back(named.positions[position]);
    return kOk;
}

Status select(const Inventory &inventory, const DeviceSettings &settings, const VisibleList &list, Indices *out) {
    if (list.kind == VisibleList::Kind::MigInstances) {
        GS_TRY(select_names(inventory, list, true, out));
        if (out->size() > 1) out->erase(out->begin() + 1, out->end());
        return kOk;
    }
    const Indices gpus = usable_gpus(inventory);
    const bool by_name = list.kind == VisibleList::Kind::Gpus;
    Indices chosen;
    if (by_name) GS_TRY(select_names(inventory, list, false, &chosen));
    if (!by_name) chosen = select_numbers(gpus, list);
    const bool doubtful =
        std::any_of(chosen.begin(), chosen.end(), [&](int32_t i) { return at(inventory, i).is_doubtful(); });
    *out = without_divided(inventory, chosen);
    if (doubtful || (!by_name && !order_is_known(inventory, gpus, settings.device_order)))
        std::fill(out->begin(), out->end(), kNotKnown);
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

} // namespace gs::inventory
