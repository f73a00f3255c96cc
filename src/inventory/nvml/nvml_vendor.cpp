// SPDX-License-Identifier: Apache-2.0
#include "inventory/nvml/nvml_vendor.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "inventory/entries.hpp"
#include "inventory/nvml/nvml_entries.hpp"

namespace gs::inventory {
namespace {

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
