// SPDX-License-Identifier: Apache-2.0
#include "inventory/entries.hpp"

#include <cstdio>
#include <new>

namespace gs::inventory {
namespace {

void copy_text(char (&out)[96], const std::string &text) noexcept {
    std::snprintf(out, sizeof out, "%s", text.c_str());
}

template <typename Function>
std::string text_of(const Function &function, NvmlDevice device) {
    char text[kNvmlTextBytes] = {};
    if (function(device, text, kNvmlTextBytes) != kNvmlSuccess) return {};
    text[sizeof text - 1] = '\0';
    return text;
}

void read_identity(const NvmlUse &nvml, Entry *entry) {
    entry->uuid = text_of(nvml->device_uuid, entry->handle);
    entry->name = text_of(nvml->device_name, entry->handle);
}

void read_pci(const NvmlUse &nvml, Entry *entry) noexcept {
    NvmlPciInfo pci{};
    if (nvml->device_pci(entry->handle, &pci) != kNvmlSuccess) return;
    entry->has_pci = true;
    entry->pci_domain = static_cast<int32_t>(pci.domain);
    entry->pci_bus = static_cast<int32_t>(pci.bus);
    entry->pci_device = static_cast<int32_t>(pci.device);
}

Entry read_gpu(const NvmlUse &nvml, uint32_t index) {
    Entry entry;
    entry.nvml_index = static_cast<int32_t>(index);
    entry.trouble = nvml->device_by_index(index, &entry.handle);
    if (entry.trouble != kNvmlSuccess) {
        entry.handle = nullptr;
        return entry;
    }
    read_identity(nvml, &entry);
    read_pci(nvml, &entry);
    uint32_t mode = 0, pending = 0; // pending: after the next reset, no business of ours
    const NvmlReturn result = nvml->mig_mode(entry.handle, &mode, &pending);
    entry.mig_enabled = result == kNvmlSuccess && mode == kNvmlMigEnabled;
    // A GPU or a driver from before MIG is not divided; any other failure leaves it open.
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
    if (!gpu.mig_enabled) return;
    gpu.trouble = nvml->mig_most(gpu.handle, &most);
    if (gpu.trouble != kNvmlSuccess) return;
    for (uint32_t i = 0; i < most; ++i) {
        Entry entry;
        const NvmlReturn result = nvml->mig_by_index(gpu.handle, i, &entry.handle);
        if (result == kNvmlNotFound || result == kNvmlInvalidArgument) continue; // places may be empty
        entry.nvml_index = gpu.nvml_index;
        entry.mig_index = static_cast<int32_t>(i);
        if (result != kNvmlSuccess) { // keeps its place, so that those behind it keep theirs
            entry.handle = nullptr;
            gpu.trouble = entry.trouble = result;
            out->push_back(entry);
            continue;
        }
        entry.gpu_instance = id_or_none(nvml->mig_gpu_instance, entry.handle);
        entry.compute_instance = id_or_none(nvml->mig_compute_instance, entry.handle);
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

bool Inventory::place_is_settled(int32_t index) const noexcept {
    if (index < gpus) return true;
    const int32_t gpu = entries[static_cast<size_t>(index)].nvml_index;
    for (int32_t i = 0; i <= gpu; ++i)
        if (entries[static_cast<size_t>(i)].is_doubtful()) return false;
    return true;
}

void describe_entry(const NvmlUse &nvml, const Entry &entry, gs_inventory_entry_t *out) noexcept {
    out->status = entry.trouble == kNvmlSuccess ? GS_OK : GS_ERROR_DRIVER;
    out->native_code = entry.trouble;
    out->nvml_index = entry.nvml_index;
    out->is_mig = entry.is_mig() ? 1 : 0;
    out->mig_index = entry.mig_index;
    out->mig_enabled = entry.mig_enabled ? 1 : 0;
    out->has_pci = entry.has_pci ? 1 : 0;
    out->pci_domain = entry.pci_domain;
    out->pci_bus = entry.pci_bus;
    out->pci_device = entry.pci_device;
    copy_text(out->uuid, entry.uuid);
    copy_text(out->name, entry.name);
    if (!entry.handle) return;
    int32_t major = 0, minor = 0;
    if (nvml->device_capability(entry.handle, &major, &minor) == kNvmlSuccess) {
        out->capability_major = major;
        out->capability_minor = minor;
    }
    NvmlMemory memory{};
    if (nvml->memory(entry.handle, &memory) == kNvmlSuccess) out->total_memory_bytes = memory.total;
}

std::string uuid_text(const uint8_t (&uuid)[16], bool is_mig) {
    std::string text = is_mig ? "MIG-" : "GPU-";
    for (int i = 0; i < 16; ++i) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", uuid[i]);
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        text += digits;
    }
    return text;
}

} // namespace gs::inventory
