// SPDX-License-Identifier: Apache-2.0
// The virtual devices are the machine: each has its load, memory and temperature.
#include "backend/host/engine/machine.hpp"
#include "backend/host/host_backend.hpp"

namespace gs::host {
namespace {

Status check_ordinal(int32_t ordinal, int32_t count) noexcept {
    if (ordinal < count) return kOk;
    return fail(GS_ERROR_INVALID_DEVICE, "device %d does not exist: the host backend has %d device(s)", ordinal, count);
}

Status not_told(const char *what) noexcept {
    return fail(GS_ERROR_NOT_SUPPORTED, "the operating system does not report %s", what);
}

Status read_memory(bool percent, gs_telemetry_t *out) noexcept {
    MachineMemory memory{};
    if (!machine_memory(&memory)) return not_told("how full the memory is");
    const uint64_t used = memory.total - memory.available;
    if (percent)
        out->memory_utilization_percent = static_cast<int32_t>(100 * used / memory.total);
    else
        inventory::set_memory(used, memory.available, memory.total, out);
    return kOk;
}

Status read_field(uint32_t field, gs_telemetry_t *out) noexcept {
    switch (field) {
    case GS_TELEMETRY_UTILIZATION: return load_percent(&out->utilization_percent) ? kOk : not_told("its load");
    case GS_TELEMETRY_MEMORY_UTILIZATION: return read_memory(true, out);
    case GS_TELEMETRY_TEMPERATURE:
        return warmest_zone_celsius(&out->temperature_celsius) ? kOk : not_told("a temperature");
    case GS_TELEMETRY_POWER: return not_told("the power it draws");
    case GS_TELEMETRY_SM_CLOCK: return present_clock_mhz(&out->sm_clock_mhz) ? kOk : not_told("a clock");
    default: return read_memory(false, out);
    }
}

} // namespace

Status HostBackend::measure(int32_t ordinal, uint32_t fields, gs_telemetry_t *out) noexcept {
    GS_TRY(check_ordinal(ordinal, probe_device_count()));
    return inventory::read_fields(fields, out, [out](uint32_t field) { return read_field(field, out); });
}

Status HostBackend::inventory_index(int32_t ordinal, int32_t *) noexcept {
    GS_TRY(check_ordinal(ordinal, probe_device_count()));
    return fail(GS_ERROR_NOT_SUPPORTED, "the inventory lists GPUs, and the devices of the host backend are not GPUs");
}

} // namespace gs::host
