// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>

#include "simulated/driver_call.hpp"

using namespace gs::simulated;

namespace {

bool absent(CUdevice device) { return device < 0 || device >= world().devices; }

bool bad(CUdevice device) {
    touch(device);
    return absent(device);
}

CUuuid uuid_of(CUdevice device) {
    CUuuid uuid{};
    std::memcpy(uuid.bytes, world().uuid.c_str(), 15);
    uuid.bytes[15] = static_cast<char>(device);
    return uuid;
}

struct Attribute {
    int which, value;
};
// CU_DEVICE_ATTRIBUTE_HOST_NUMA_MEMORY_POOLS_SUPPORTED, which the headers of 12.8 do not have.
constexpr auto kHostPoolsSupported = static_cast<CUdevice_attribute>(142);

constexpr Attribute kAttributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1980000},
    {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3201000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 60 << 20},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_ECC_ENABLED, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 * 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 * 1024},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7FFFFFFF},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 3},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR, 1},
    {kHostPoolsSupported, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, 0},
};

CUresult attribute(int *out, CUdevice_attribute which, CUdevice device) {
    if (!out || which <= 0 || (which >= CU_DEVICE_ATTRIBUTE_MAX && which != kHostPoolsSupported))
        return CUDA_ERROR_INVALID_VALUE;
    if (bad(device)) return CUDA_ERROR_INVALID_DEVICE;
    *out = 0;
    if (which == CU_DEVICE_ATTRIBUTE_PCI_BUS_ID) *out = 0x10 + device;
    if (which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) *out = world().capability[0];
    if (which == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) *out = world().capability[1];
    if (which == CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH) *out = world().capability[0] >= 9 ? 1 : 0;
    if (which == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *out = world().multiprocessors;
    if (which == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) *out = world().pools ? 1 : 0;
    if (which == CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS) *out = world().wide_values ? 1 : 0;
    if (which == CU_DEVICE_ATTRIBUTE_TIMELINE_SEMAPHORE_INTEROP_SUPPORTED) *out = world().semaphores ? 1 : 0;
    for (const Attribute &entry : kAttributes)
        if (entry.which == which) *out = entry.value;
    return CUDA_SUCCESS;
}

} // namespace

CUresult api_DeviceGetCount(int *out) {
    return call(
        Fn::DeviceGetCount,
        [&](Lock &) {
            *out = world().devices;
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_DeviceGet(CUdevice *out, int ordinal) {
    return call(
        Fn::DeviceGet,
        [&](Lock &) {
            if (bad(ordinal)) return CUDA_ERROR_INVALID_DEVICE;
            *out = ordinal;
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_DeviceGetName(char *name, int size, CUdevice device) {
    return call(Fn::DeviceGetName, [&](Lock &) {
        if (!name || size <= 0) return CUDA_ERROR_INVALID_VALUE;
        if (bad(device)) return CUDA_ERROR_INVALID_DEVICE;
        std::snprintf(name, static_cast<size_t>(size), "%s %d", world().device_name.c_str(), device);
        return CUDA_SUCCESS;
    });
}

CUresult api_DeviceGetAttribute(int *out, CUdevice_attribute which, CUdevice device) {
    return call(Fn::DeviceGetAttribute, [&](Lock &) { return attribute(out, which, device); }, out);
}

CUresult api_DeviceComputeCapability(int *major, int *minor, CUdevice device) {
    return call(
        Fn::DeviceComputeCapability,
        [&](Lock &) {
            if (bad(device)) return CUDA_ERROR_INVALID_DEVICE;
            *major = world().capability[0];
            *minor = world().capability[1];
            return CUDA_SUCCESS;
        },
        major, minor);
}

// How host threads wait does not matter here.
CUresult api_PrimaryCtxSetFlags(CUdevice device, unsigned) {
    return call(Fn::PrimaryCtxSetFlags, [&](Lock &) { return bad(device) ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS; });
}

CUresult api_DeviceTotalMem(size_t *out, CUdevice device) {
    return call(
        Fn::DeviceTotalMem,
        [&](Lock &) {
            if (bad(device)) return CUDA_ERROR_INVALID_DEVICE;
            *out = world().memory_bytes;
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_DeviceGetUuid(CUuuid *out, CUdevice device) {
    return call(
        Fn::DeviceGetUuid,
        [&](Lock &) {
            if (bad(device)) return CUDA_ERROR_INVALID_DEVICE;
            *out = uuid_of(device);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_DeviceGetGpuUuid(CUuuid *out, CUdevice device) {
    return call(
        Fn::DeviceGetGpuUuid,
        [&](Lock &) {
            if (bad(device)) return CUDA_ERROR_INVALID_DEVICE;
            *out = uuid_of(device);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_DeviceGetPciBusId(char *out, int size, CUdevice device) {
    return call(Fn::DeviceGetPciBusId, [&](Lock &) {
        if (!out || size < 13) return CUDA_ERROR_INVALID_VALUE;
        if (bad(device)) return CUDA_ERROR_INVALID_DEVICE;
        std::snprintf(out, static_cast<size_t>(size), "0000:%02x:00.0", 0x10 + device);
        return CUDA_SUCCESS;
    });
}

CUresult api_DeviceCanAccessPeer(int *out, CUdevice device, CUdevice peer) {
    return call(
        Fn::DeviceCanAccessPeer,
        [&](Lock &) {
            if (bad(device) || absent(peer)) return CUDA_ERROR_INVALID_DEVICE;
            *out = device != peer ? 1 : 0;
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_PrimaryCtxRetain(CUcontext *out, CUdevice device) {
    return call(
        Fn::PrimaryCtxRetain,
        [&](Lock &) {
            if (bad(device)) return CUDA_ERROR_INVALID_DEVICE;
            Context &context = *world().primary[static_cast<size_t>(device)];
            if (!context.active)
                if (const CUresult result = activate(context); result != CUDA_SUCCESS) return result;
            ++context.retained;
            note(kContextKind, &context);
            *out = reinterpret_cast<CUcontext>(&context);
            return CUDA_SUCCESS;
        },
        out);
}

CUresult api_PrimaryCtxRelease(CUdevice device) {
    return call(Fn::PrimaryCtxRelease, [&](Lock &) {
        if (bad(device)) return CUDA_ERROR_INVALID_DEVICE;
        Context &context = *world().primary[static_cast<size_t>(device)];
        if (context.retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
        if (--context.retained == 0 && context.active) end_life(context);
        return CUDA_SUCCESS;
    });
}

// The reference count does not change, as with the real driver.
CUresult api_PrimaryCtxReset(CUdevice device) {
    return call(Fn::PrimaryCtxReset, [&](Lock &) {
        if (bad(device)) return CUDA_ERROR_INVALID_DEVICE;
        Context &context = *world().primary[static_cast<size_t>(device)];
        if (context.active) end_life(context);
        return CUDA_SUCCESS;
    });
}

CUresult api_PrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    return call(
        Fn::PrimaryCtxGetState,
        [&](Lock &) {
            if (bad(device)) return CUDA_ERROR_INVALID_DEVICE;
            *flags = 0;
            *active = world().primary[static_cast<size_t>(device)]->active ? 1 : 0;
            return CUDA_SUCCESS;
        },
        flags, active);
}
