// SPDX-License-Identifier: Apache-2.0
#include "inventory/nvml/nvml_vendor.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "inventory/nvml/nvml.hpp"

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

// A GPU that cannot be queried becomes an entry with its failure; the function fails only where all GPUs are
// concerned.
Status read_inventory(const NvmlUse &nvml, Inventory *out) noexcept {
    uint32_t gpus = 0;
    if (const NvmlReturn result = nvml->device_count(&gpus); result != kNvmlSuccess)
        return nvml_failure(result, nvml->device_count.name);
    try {
        *out = {};
        out->source = "NVML";
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

// Fills the whole public struct except struct_size and the ordinal.
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

Status find_device(const NvmlUse &nvml, const Identity &identity, NvmlDevice *out) noexcept {
    NvmlReturn result = nvml->device_by_uuid(identity.uuid.c_str(), out);
    const char *function = nvml->device_by_uuid.name;
    // An instance has the bus address of its GPU, whose measurements are not the instance's.
    if (result != kNvmlSuccess && identity.has_pci && !names_instance(identity.uuid)) {
        char address[32];
        std::snprintf(address, sizeof address, "%08x:%02x:%02x.0", static_cast<unsigned>(identity.pci_domain),
                      static_cast<unsigned>(identity.pci_bus), static_cast<unsigned>(identity.pci_device));
        result = nvml->device_by_pci(address, out);
        function = nvml->device_by_pci.name;
    }
    if (result == kNvmlSuccess) return kOk;
    if (result == kNvmlNotFound || result == kNvmlInvalidArgument)
        return fail_native(GS_ERROR_DRIVER, {GS_BACKEND_CUDA, result, function},
                           "NVML does not know the device %s (NVML error %d)", identity.uuid.c_str(), result);
    return nvml_failure(result, function);
}

template <typename Function>
Status answer(const Identity &identity, NvmlReturn result, const Function &function) noexcept {
    if (result == kNvmlSuccess) return kOk;
    // Some versions refuse an instance as a wrong argument where a quantity exists only for whole GPUs.
    if (result == kNvmlInvalidArgument && names_instance(identity.uuid)) result = kNvmlNotSupported;
    return nvml_failure(result, function.name);
}

Status read_utilization(const NvmlUse &nvml, const Identity &identity, NvmlDevice device, bool memory,
                        int32_t *out) noexcept {
    NvmlUtilization rates{};
    GS_TRY(answer(identity, nvml->utilization(device, &rates), nvml->utilization));
    *out = static_cast<int32_t>(std::min(memory ? rates.memory_percent : rates.gpu_percent, 100u));
    return kOk;
}

Status read_temperature(const NvmlUse &nvml, const Identity &identity, NvmlDevice device, int32_t *out) noexcept {
    NvmlTemperature reading{kNvmlTemperatureVersion, kNvmlSensorGpu, 0};
    if (nvml->temperature_v(device, &reading) == kNvmlSuccess) {
        *out = reading.celsius;
        return kOk;
    }
    uint32_t celsius = 0; // the older call, which the newer one replaces
    GS_TRY(answer(identity, nvml->temperature(device, kNvmlSensorGpu, &celsius), nvml->temperature));
    *out = static_cast<int32_t>(celsius);
    return kOk;
}

Status read_memory(const NvmlUse &nvml, const Identity &identity, NvmlDevice device, gs_telemetry_t *out) noexcept {
    NvmlMemory2 memory{kNvmlMemory2Version, 0, 0, 0, 0};
    if (nvml->memory_v2(device, &memory) == kNvmlSuccess) {
        set_memory(memory.used, memory.free, memory.total, out);
        return kOk;
    }
    NvmlMemory first{};
    GS_TRY(answer(identity, nvml->memory(device, &first), nvml->memory));
    set_memory(first.used, first.free, first.total, out);
    return kOk;
}

Status read_field(const NvmlUse &nvml, const Identity &identity, NvmlDevice device, uint32_t field,
                  gs_telemetry_t *out) noexcept {
    uint32_t value = 0;
    switch (field) {
    case GS_TELEMETRY_UTILIZATION: return read_utilization(nvml, identity, device, false, &out->utilization_percent);
    case GS_TELEMETRY_MEMORY_UTILIZATION:
        return read_utilization(nvml, identity, device, true, &out->memory_utilization_percent);
    case GS_TELEMETRY_TEMPERATURE: return read_temperature(nvml, identity, device, &out->temperature_celsius);
    case GS_TELEMETRY_POWER:
        GS_TRY(answer(identity, nvml->power(device, &value), nvml->power));
        out->power_milliwatts = static_cast<int32_t>(value);
        return kOk;
    case GS_TELEMETRY_SM_CLOCK:
        GS_TRY(answer(identity, nvml->clock(device, kNvmlClockSm, &value), nvml->clock));
        out->sm_clock_mhz = static_cast<int32_t>(value);
        return kOk;
    default: return read_memory(nvml, identity, device, out);
    }
}

class NvmlVendor final : public Vendor {
public:
    gs_backend_t backend() const noexcept override { return GS_BACKEND_CUDA; }

    Status read(Inventory *out) noexcept override {
        NvmlUse nvml;
        GS_TRY(nvml.ready());
        return read_inventory(nvml, out);
    }

    Status read_entry(int32_t index, Inventory *out, gs_inventory_entry_t *out_entry) noexcept override {
        NvmlUse nvml;
        GS_TRY(nvml.ready());
        GS_TRY(read_inventory(nvml, out));
        if (index < 0 || static_cast<size_t>(index) >= out->entries.size())
            return fail(GS_ERROR_INVALID_ARGUMENT, "entry %d does not exist: the inventory has %zu", index,
                        out->entries.size());
        describe_entry(nvml, out->entries[static_cast<size_t>(index)], out_entry);
        return kOk;
    }

    Status measure(const Identity &identity, uint32_t fields, gs_telemetry_t *out) noexcept override {
        NvmlUse nvml;
        GS_TRY(nvml.ready());
        NvmlDevice device = nullptr;
        GS_TRY(find_device(nvml, identity, &device));
        return read_fields(fields, out, [&](uint32_t field) { return read_field(nvml, identity, device, field, out); });
    }
};

constinit NvmlVendor g_vendor;

} // namespace

Vendor &nvml_vendor() noexcept { return g_vendor; }

} // namespace gs::inventory
