// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

using namespace layer;

extern "C" __attribute__((visibility("default"))) gs_device_t layer_gs_device_make(gs_backend_t kind, int32_t ordinal) {
    return device::of(static_cast<backend>(kind), ordinal).get();
}
extern "C" __attribute__((visibility("default"))) gs_backend_t layer_gs_device_backend(gs_device_t number) {
    return in_c(device(number).backend());
}
extern "C" __attribute__((visibility("default"))) int32_t layer_gs_device_ordinal(gs_device_t number) {
    return device(number).ordinal();
}
LAYER(gs_device_count, gs_backend_t kind, int32_t *out) {
    OR_C(out, gs_device_count, kind, out);
    return give(out, [&] { return device_count(static_cast<backend>(kind)); });
}
LAYER(gs_current_device, gs_device_t *out) {
    OR_C(out, gs_current_device, out);
    return give(out, [] { return current_device(); });
}
LAYER(gs_set_current_device, gs_device_t number) {
    return status_of([&] { return set_current_device(number); });
}
LAYER(gs_device_synchronize, gs_device_t number) {
    return status_of([&] { return device(number).synchronize(); });
}
LAYER(gs_device_synchronize_for, gs_device_t number, int64_t timeout_ns) {
    if (timeout_ns < 0) return gs_device_synchronize_for(number, timeout_ns);
    bool in_time = true;
    const gs_status_t status =
        status_of([&] { return device(number).synchronize_for(std::chrono::nanoseconds(timeout_ns)); },
                  [&](bool done) { in_time = done; });
    return in_time ? status : GS_ERROR_TIMEOUT;
}
LAYER(gs_device_calibrate, gs_device_t number, int64_t *out) {
    OR_C(out, gs_device_calibrate, number, out);
    *out = 0;
    return status_of([&] { return device(number).calibrate(); },
                     [&](std::chrono::nanoseconds error) { *out = error.count(); });
}
LAYER(gs_device_check, gs_device_t number) {
    return status_of([&] { return device(number).check(); });
}
LAYER(gs_device_reset, gs_device_t number) {
    return status_of([&] { return device(number).reset(); });
}
LAYER(gs_device_get_info, gs_device_t number, gs_device_info_t *out) {
    if (!out || out->struct_size != sizeof *out) return gs_device_get_info(number, out);
    return give_struct(out, [&] { return device(number).info(); });
}
LAYER(gs_device_can_access_peer, gs_device_t number, gs_device_t peer, int32_t *out) {
    OR_C(out, gs_device_can_access_peer, number, peer, out);
    return give(out, [&] { return device(number).can_access_peer(peer); });
}
LAYER(gs_device_priority_range, gs_device_t number, int32_t *least, int32_t *greatest) {
    if (!least || !greatest) return gs_device_priority_range(number, least, greatest);
    *least = *greatest = 0;
    return status_of([&] { return device(number).priority_range(); },
                     [&](device::priorities range) { *least = range.least, *greatest = range.greatest; });
}
// One field by its own function, several by the struct.
LAYER(gs_device_get_telemetry, gs_device_t number, uint32_t fields, gs_telemetry_t *out) {
    if (!out || out->struct_size != sizeof *out) return gs_device_get_telemetry(number, fields, out);
    const device asked(number);
    const auto one = [&](outcome<int32_t> (device::*ask)() const, int32_t gs_telemetry_t::*value) {
        return status_of([&] { return (asked.*ask)(); },
                         [&](int32_t read) {
                             *out = {};
                             out->struct_size = sizeof *out;
                             out->known = fields;
                             out->*value = read;
                         });
    };
    switch (fields) {
    case GS_TELEMETRY_UTILIZATION: return one(&device::utilization_percent, &gs_telemetry_t::utilization_percent);
    case GS_TELEMETRY_MEMORY_UTILIZATION:
        return one(&device::memory_utilization_percent, &gs_telemetry_t::memory_utilization_percent);
    case GS_TELEMETRY_TEMPERATURE: return one(&device::temperature_celsius, &gs_telemetry_t::temperature_celsius);
    case GS_TELEMETRY_POWER: return one(&device::power_milliwatts, &gs_telemetry_t::power_milliwatts);
    case GS_TELEMETRY_SM_CLOCK: return one(&device::sm_clock_mhz, &gs_telemetry_t::sm_clock_mhz);
    case GS_TELEMETRY_MEMORY:
        return status_of([&] { return asked.memory_bytes(); },
                         [&](device::memory read) {
                             *out = {};
                             out->struct_size = sizeof *out;
                             out->known = fields;
                             out->memory_used_bytes = read.used_bytes;
                             out->memory_free_bytes = read.free_bytes;
                             out->memory_total_bytes = read.total_bytes;
                         });
    default: return give_struct(out, [&] { return asked.telemetry(fields); });
    }
}
