// SPDX-License-Identifier: Apache-2.0
#include "inventory/nvml/nvml_measure.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "inventory/entries.hpp"

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

Status read_quantity(const NvmlUse &nvml, const Identity &identity, NvmlDevice device, Quantity quantity,
                     int32_t *out) noexcept {
    uint32_t value = 0;
    switch (quantity) {
    case Quantity::UtilizationPercent: return read_utilization(nvml, identity, device, false, out);
    case Quantity::MemoryUtilizationPercent: return read_utilization(nvml, identity, device, true, out);
    case Quantity::TemperatureCelsius: return read_temperature(nvml, identity, device, out);
    case Quantity::PowerMilliwatts: GS_TRY(answer(identity, nvml->power(device, &value), nvml->power)); break;
    case Quantity::SmClockMhz: GS_TRY(answer(identity, nvml->clock(device, kNvmlClockSm, &value), nvml->clock)); break;
    }
    *out = static_cast<int32_t>(value);
    return kOk;
}

} // namespace

Status measure_gpu(const NvmlUse &nvml, const Identity &identity, Quantity quantity, int32_t *out) noexcept {
    NvmlDevice device = nullptr;
    GS_TRY(find_device(nvml, identity, &device));
    return read_quantity(nvml, identity, device, quantity, out);
}

Status measure_gpu_memory(const NvmlUse &nvml, const Identity &identity, MemoryUse *out) noexcept {
    NvmlDevice device = nullptr;
    GS_TRY(find_device(nvml, identity, &device));
    NvmlMemory2 memory{kNvmlMemory2Version, 0, 0, 0, 0};
    if (nvml->memory_v2(device, &memory) == kNvmlSuccess) {
        *out = {memory.used, memory.free, memory.total};
        return kOk;
    }
    NvmlMemory first{};
    GS_TRY(answer(identity, nvml->memory(device, &first), nvml->memory));
    *out = {first.used, first.free, first.total};
    return kOk;
}

} // namespace gs::inventory
