// SPDX-License-Identifier: Apache-2.0
// The part of NVML's binary interface that is used, declared here because nvml.h is not everywhere that cuda.h is.
// Numbers and layouts: NVML API reference, NVML 11 to 13; they do not change within a function's name.
#pragma once

#include <cstdint>

namespace gs::inventory {

struct NvmlDeviceTag;
using NvmlDevice = NvmlDeviceTag *;

enum NvmlReturn : int32_t {
    kNvmlSuccess = 0,
    kNvmlInvalidArgument = 2,
    kNvmlNotSupported = 3,
    kNvmlNoPermission = 4,
    kNvmlNotFound = 6,
    kNvmlDriverNotLoaded = 9,
    kNvmlLibraryNotFound = 12,
    kNvmlFunctionNotFound = 13,
    kNvmlGpuIsLost = 15,
    kNvmlVersionMismatch = 18,
    kNvmlMemory = 20,
    kNvmlArgumentVersionMismatch = 25,
    kNvmlDeprecated = 26,
};

struct NvmlPciInfo { // third form
    char bus_id_legacy[16];
    uint32_t domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
};
static_assert(sizeof(NvmlPciInfo) == 68);

struct NvmlUtilization {
    uint32_t gpu_percent, memory_percent;
};

struct NvmlMemory { // first form: used contains what the driver keeps for itself
    uint64_t total, free, used;
};

struct NvmlMemory2 { // second form: it does not
    uint32_t version;
    uint64_t total, reserved, free, used;
};
static_assert(sizeof(NvmlMemory2) == 40);
inline constexpr uint32_t kNvmlMemory2Version = sizeof(NvmlMemory2) | 2u << 24;

struct NvmlTemperature {
    uint32_t version, sensor;
    int32_t celsius;
};
static_assert(sizeof(NvmlTemperature) == 12);
inline constexpr uint32_t kNvmlTemperatureVersion = sizeof(NvmlTemperature) | 1u << 24;

inline constexpr uint32_t kNvmlSensorGpu = 0;
inline constexpr uint32_t kNvmlClockSm = 1;
inline constexpr uint32_t kNvmlMigEnabled = 1;
inline constexpr uint32_t kNvmlTextBytes = 96; // of a name or a UUID, at most

} // namespace gs::inventory
