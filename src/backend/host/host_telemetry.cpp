// SPDX-License-Identifier: Apache-2.0
// The virtual devices are the machine: each has its load, memory and temperature.
#include "backend/host/host_backend.hpp"
#include "backend/host/machine_load.hpp"

namespace gs::host {
namespace {

Status check_ordinal(int32_t ordinal, int32_t count) noexcept {
    if (ordinal < count) return kOk;
    return fail(GS_ERROR_INVALID_DEVICE, "device %d does not exist: the host backend has %d device(s)", ordinal, count);
}

Status not_told(const char *what) noexcept {
    return fail(GS_ERROR_NOT_SUPPORTED, "the operating system does not report %s", what);
}

Status memory_percent(int32_t *out) noexcept {
    MachineMemory memory{};
    if (!machine_memory(&memory)) return not_told("how full the memory is");
    *out = static_cast<int32_t>(100 * (memory.total - memory.available) / memory.total);
    return kOk;
}

} // namespace

Status HostBackend::measure(int32_t ordinal, inventory::Quantity quantity, int32_t *out) noexcept {
    GS_TRY(check_ordinal(ordinal, probe_device_count()));
    switch (quantity) {
    case inventory::Quantity::UtilizationPercent: return load_percent(out) ? kOk : not_told("its load");
    case inventory::Quantity::MemoryUtilizationPercent: return memory_percent(out);
    case inventory::Quantity::TemperatureCelsius: return warmest_zone_celsius(out) ? kOk : not_told("a temperature");
    case inventory::Quantity::PowerMilliwatts: return not_told("the power it draws");
    case inventory::Quantity::SmClockMhz: return present_clock_mhz(out) ? kOk : not_told("a clock");
    }
    return fail(GS_ERROR_INTERNAL, "no such quantity");
}

Status HostBackend::measure_memory(int32_t ordinal, inventory::MemoryUse *out) noexcept {
    GS_TRY(check_ordinal(ordinal, probe_device_count()));
    MachineMemory memory{};
    if (!machine_memory(&memory)) return not_told("how full the memory is");
    *out = {memory.total - memory.available, memory.available, memory.total};
    return kOk;
}

Status HostBackend::inventory_index(int32_t ordinal, int32_t *) noexcept {
    GS_TRY(check_ordinal(ordinal, probe_device_count()));
    return fail(GS_ERROR_NOT_SUPPORTED, "the inventory lists GPUs, and the devices of the host backend are not GPUs");
}

Status HostBackend::blas_handle(ThreadBlock &, StreamRef, uintptr_t *) noexcept {
    return fail(GS_ERROR_NOT_SUPPORTED, "the host backend has no cuBLAS");
}

} // namespace gs::host
