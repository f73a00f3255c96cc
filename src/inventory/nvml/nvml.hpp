// SPDX-License-Identifier: Apache-2.0
// NVML, opened at the first use. It needs neither CUDA nor a context, and may be used before a fork and after it.
//
// No lock of ours is held while NVML is called. A call may take milliseconds, and a fork on another thread would wait
// for the lock as long, or leave it held in the child.
#pragma once

#include <cstdint>

#include "base/status.hpp"

namespace gs::inventory {

// The part of NVML's binary interface that is used, declared here because nvml.h is not everywhere that cuda.h is.
// Numbers and layouts: NVML API reference, NVML 11 to 13; they do not change within a function's name.
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

// What stands in for a function that the library does not have.
template <typename Pointer>
struct NvmlAbsent;
template <typename... Arguments>
struct NvmlAbsent<NvmlReturn (*)(Arguments...)> {
    static NvmlReturn call(Arguments...) { return kNvmlFunctionNotFound; }
};

template <typename Pointer>
struct NvmlFunction {
    Pointer call = &NvmlAbsent<Pointer>::call;
    const char *name;

    template <typename... Arguments>
    NvmlReturn operator()(Arguments... arguments) const noexcept {
        return call(arguments...);
    }
};

struct NvmlTable {
#define X(field, symbol, arguments) NvmlFunction<NvmlReturn(*) arguments> field{.name = #symbol};
#include "inventory/nvml/nvml_functions.inc"
};

// While an NvmlUse that is ready lives, this thread may be inside NVML. A child that another thread forks during that
// time must never enter NVML: a thread that the child lacks may hold NVML's own locks.
class NvmlUse {
public:
    NvmlUse() noexcept = default;
    ~NvmlUse();
    NvmlUse(const NvmlUse &) = delete;
    NvmlUse &operator=(const NvmlUse &) = delete;

    // Call it first. UNAVAILABLE when NVML is absent or does not work, BAD_FORK in such a child. A failure is not
    // remembered: the kernel module may be loaded later.
    Status ready() noexcept;
    const NvmlTable *operator->() const noexcept { return table_; }

private:
    Status load() noexcept;
    Status initialise_again() noexcept;
    void enter() noexcept;

    const NvmlTable *table_ = nullptr;
    bool inside_ = false;
};

// NOT_SUPPORTED, UNAVAILABLE, OUT_OF_MEMORY or DRIVER, with NVML's code and what it means.
Status nvml_failure(NvmlReturn code, const char *function) noexcept __attribute__((cold));

} // namespace gs::inventory
