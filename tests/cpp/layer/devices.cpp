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
LAYER(gs_device_memory_bytes, gs_device_t number, uint64_t *used, uint64_t *free, uint64_t *total) {
    if (!used || !free || !total) return gs_device_memory_bytes(number, used, free, total);
    *used = *free = *total = 0;
    return status_of(
        [&] { return device(number).memory_bytes(); },
        [&](device::memory found) { *used = found.used_bytes, *free = found.free_bytes, *total = found.total_bytes; });
}

#define TELEMETRY(name, method)                                                                                        \
    LAYER(name, gs_device_t number, int32_t *out) {                                                                    \
        OR_C(out, name, number, out);                                                                                  \
        return give(out, [&] { return device(number).method(); });                                                     \
    }
TELEMETRY(gs_device_utilization_percent, utilization_percent)
TELEMETRY(gs_device_memory_utilization_percent, memory_utilization_percent)
TELEMETRY(gs_device_temperature_celsius, temperature_celsius)
TELEMETRY(gs_device_power_milliwatts, power_milliwatts)
TELEMETRY(gs_device_sm_clock_mhz, sm_clock_mhz)
