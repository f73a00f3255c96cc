// SPDX-License-Identifier: Apache-2.0
#include "inventory/nvml/nvml_entries.hpp"

#include <new>

namespace gs::inventory {
namespace {

template <typename Function>
std::string text_of(const Function &function, NvmlDevice device) {
    char text[kNvmlTextBytes] = {};
    if (function(device, text, kNvmlTextBytes) != kNvmlSuccess) return {};
    text[sizeof text - 1] = '\0';
    return text;
}

NvmlDevice device_of(const Entry &entry) noexcept { return static_cast<NvmlDevice>(entry.handle); }

// Stores the outcome of a function that finds a device.
void set_found(Entry *entry, NvmlReturn result, NvmlDevice device) noexcept {
    entry->trouble = result;
    entry->handle = result == kNvmlSuccess ? device : nullptr;
    entry->not_permitted = result == kNvmlNoPermission;
}

void read_identity(const NvmlUse &nvml, Entry *entry) {
    entry->uuid = text_of(nvml->device_uuid, device_of(*entry));
    entry->name = text_of(nvml->device_name, device_of(*entry));
}

void read_pci(const NvmlUse &nvml, Entry *entry) noexcept {
    NvmlPciInfo pci{};
    if (nvml->device_pci(device_of(*entry), &pci) != kNvmlSuccess) return;
    entry->has_pci = true;
    entry->pci_domain = static_cast<int32_t>(pci.domain);
    entry->pci_bus = static_cast<int32_t>(pci.bus);
    entry->pci_device = static_cast<int32_t>(pci.device);
}

Entry read_gpu(const NvmlUse &nvml, uint32_t index) {
    Entry entry;
    NvmlDevice device = nullptr;
    entry.gpu = static_cast<int32_t>(index);
    const NvmlReturn found = nvml->device_by_index(index, &device);
    set_found(&entry, found, device);
    if (!entry.handle) return entry;
    read_identity(nvml, &entry);
    read_pci(nvml, &entry);
    uint32_t mode = 0, pending = 0; // pending: valid after the next reset only
    const NvmlReturn result = nvml->mig_mode(device, &mode, &pending);
    entry.divided = result == kNvmlSuccess && mode == kNvmlMigEnabled;
    // A GPU or a driver from before MIG is not divided. After any other failure this is unknown.
    if (result != kNvmlSuccess && result != kNvmlNotSupported && result != kNvmlFunctionNotFound)
        entry.trouble = result;
    return entry;
}

int32_t id_or_none(const NvmlFunction<NvmlReturn (*)(NvmlDevice, uint32_t *)> &function, NvmlDevice device) noexcept {
    uint32_t id = 0;
    return function(device, &id) == kNvmlSuccess ? static_cast<int32_t>(id) : -1;
}

void read_instances(const NvmlUse &nvml, Entry &gpu, std::vector<Entry> *out) {
    uint32_t most = 0;
    if (!gpu.divided) return;
    gpu.trouble = nvml->mig_most(device_of(gpu), &most);
    if (gpu.trouble != kNvmlSuccess) return;
    for (uint32_t i = 0; i < most; ++i) {
        Entry entry;
        NvmlDevice device = nullptr;
        const NvmlReturn result = nvml->mig_by_index(device_of(gpu), i, &device);
        if (result == kNvmlNotFound || result == kNvmlInvalidArgument) continue; // places may be empty
        set_found(&entry, result, device);
        entry.gpu = gpu.gpu;
        entry.instance = static_cast<int32_t>(i);
        if (!entry.handle) { // keeps its place, so that the entries behind it keep theirs
            gpu.trouble = result;
            out->push_back(entry);
            continue;
        }
        entry.gpu_instance = id_or_none(nvml->mig_gpu_instance, device);
        entry.compute_instance = id_or_none(nvml->mig_compute_instance, device);
        entry.has_pci = gpu.has_pci;
        entry.pci_domain = gpu.pci_domain;
        entry.pci_bus = gpu.pci_bus;
        entry.pci_device = gpu.pci_device;
        read_identity(nvml, &entry);
        out->push_back(entry);
    }
}

} // namespace

Status read_inventory(const NvmlUse &nvml, Inventory *out) noexcept {
    uint32_t gpus = 0;
    if (const NvmlReturn result = nvml->device_count(&gpus); result != kNvmlSuccess)
        return nvml_failure(result, nvml->device_count.name);
    try {
        *out = {};
        out->source = kNvmlName;
        for (uint32_t i = 0; i < gpus; ++i) out->entries.push_back(read_gpu(nvml, i));
        out->gpus = static_cast<int32_t>(gpus);
        std::vector<Entry> instances;
        for (Entry &gpu : out->entries) read_instances(nvml, gpu, &instances);
        out->entries.insert(out->entries.end(), instances.begin(), instances.end());
        return kOk;
    } catch (const std::bad_alloc &) {
        return fail(GS_ERROR_OUT_OF_MEMORY, "no memory for the inventory of %u GPU(s)", gpus);
    }
}

void describe_entry(const NvmlUse &nvml, const Entry &entry, gs_inventory_entry_t *out) noexcept {
    fill_public_entry(entry, out);
    if (!entry.handle) return;
    const NvmlDevice device = device_of(entry);
    int32_t major = 0, minor = 0;
    if (nvml->device_capability(device, &major, &minor) == kNvmlSuccess) {
        out->capability_major = major;
        out->capability_minor = minor;
    }
    NvmlMemory memory{};
    if (nvml->memory(device, &memory) == kNvmlSuccess) out->total_memory_bytes = memory.total;
}

} // namespace gs::inventory
